"""Passes that note what they ran on, or fail."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.errors import PassError
from shlo_tools.pipeline.registry import Pass

LOG: list[tuple[str, str]] = []


@dataclass(frozen=True)
class Record(Pass):
    """Notes which op it ran on."""

    name = "test-record"
    anchor = "any"
    mark: str = "seen"

    def run(self, op: mlir.Operation) -> None:
        LOG.append((self.mark, ir.symbol_name(op) or op.name))


@dataclass(frozen=True)
class OnFunctions(Pass):
    """Runs on functions only."""

    name = "test-on-functions"
    anchor = "func.func"

    def run(self, op: mlir.Operation) -> None:
        LOG.append(("function", ir.symbol_name(op)))


@dataclass(frozen=True)
class Break(Pass):
    """Leaves IR that does not verify."""

    name = "test-break"

    def run(self, op: mlir.Operation) -> None:
        for func in ir.functions(op):
            ir.terminator(func.regions[0].blocks[0]).erase()


@dataclass(frozen=True)
class Fail(Pass):
    """Always fails."""

    name = "test-fail"

    def run(self, op: mlir.Operation) -> None:
        raise PassError("this pass fails on purpose")
