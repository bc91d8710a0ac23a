"""Floats of 16 bits lie in memory, and are chosen between, as integers.

Before:
    %x = llvm.load %p : !llvm.ptr -> bf16
    llvm.store %x, %q : bf16, !llvm.ptr
After:
    %0 = llvm.load %p : !llvm.ptr -> i16
    %x = llvm.bitcast %0 : i16 to bf16
    %1 = llvm.bitcast %x : bf16 to i16
    llvm.store %1, %q : i16, !llvm.ptr

A value that is only moved is an integer then, and one of two that ``llvm.select`` takes. LLVM's
optimizer makes ops of floats that are moved in loops which its code generator has none of for these
types: it ends the process, or calls a function that no library has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class BitsInMemory(Pass):
    """Load, store and select floats of 16 bits as integers."""

    name = "shlo-bits-in-memory"
    anchor = "any"

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"llvm.load": _load, "llvm.store": _store, "llvm.select": _select})


def _load(op: Operation, build: Build) -> Sequence[Value] | None:
    (result,) = op.results
    if not _has_bits(result):
        return None
    attributes = dict(op.attributes.items())
    bits = build.value("llvm.load", list(op.operands), mlir.parse_type("i16"), attributes)
    return [build.value("llvm.bitcast", (bits,), result.type)]


def _store(op: Operation, build: Build) -> Sequence[Value] | None:
    value, address = op.operands
    if not _has_bits(value):
        return None
    build.op("llvm.store", (_bits(value, build), address), (), dict(op.attributes.items()))
    return []


def _select(op: Operation, build: Build) -> Sequence[Value] | None:
    which, *values = op.operands
    (result,) = op.results
    if not _has_bits(result):
        return None
    bits = [_bits(value, build) for value in values]
    chosen = build.value("llvm.select", (which, *bits), mlir.parse_type("i16"))
    return [build.value("llvm.bitcast", (chosen,), result.type)]


def _has_bits(value: Value) -> bool:
    """Whether a value is one of those that become integers."""
    return str(value.type) in ("bf16", "f16")


def _bits(value: Value, build: Build) -> Value:
    return build.value("llvm.bitcast", (value,), mlir.parse_type("i16"))
