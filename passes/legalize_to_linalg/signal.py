"""Fourier transforms: a kernel that calls the host."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.ir import Lowered, Lowering
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.custom_calls import host_call
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def fft(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return host_call(op, operands, build)
