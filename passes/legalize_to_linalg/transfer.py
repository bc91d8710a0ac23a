"""Values that go in and out of a process, and computations beside others.

A program that runs alone: what ``async_start`` begins is done at once, a future is the results;
``send``, ``recv``, ``infeed`` and ``outfeed`` are refused. Those of a grid are calls of the host by
now (``shlo-lower-collectives``).
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.ir import Lowered, Lowering, flatten, raise_unsupported
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def async_start(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return [tuple(flatten(build.inline(op.regions[0], operands)))]


@lowers
def async_done(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return build.regrouped([result.type for result in op.results], flatten(operands))


@lowers
def infeed(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return _refused(op, "a program that runs alone has no infeed")


@lowers
def outfeed(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return _refused(op, "a program that runs alone has no outfeed")


@lowers
def recv(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return _refused(op, "a program that runs alone has no channels")


@lowers
def send(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return _refused(op, "a program that runs alone has no channels")


def _refused(op: Operation, reason: str) -> Sequence[Lowered]:
    raise_unsupported([op], f"{reason}; shlo_tools.run_spmd runs it in a grid")
    return []
