"""shlo-run --compare: which ops of a program are wrong together, though each alone is right.

Probes keep ops from being fused, and so hide what fusion makes of them. A program whose results
differ without probes only is cut at values: of ever fewer of its ops, applied to what the
reference has for their operands, the results are compared as they are compiled together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import shlo_tools
from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation, Value
from shlo_tools.tools.run.comparing.cut_out import cut_out, leaf_types

Backend = Literal["native", "reference"]
# Given native results and the reference's: whether they differ.
Differ = Callable[[Sequence[Array], Sequence[Array]], bool]


@dataclass(frozen=True)
class Part:
    """Ops that follow each other in a program, as a program of their own.

    Attributes:
        arguments: what the reference has for their operands.
        expected: what it makes of them.
    """

    ops: Sequence[Operation]
    module: mlir.Module
    arguments: Sequence[Array]
    expected: Sequence[Array]

    def text(self) -> str:
        with mlir.library_context():
            return ir.printed(self.module.operation)


def narrowed(
    module: mlir.Module, function: str, arguments: Sequence[Array], differ: Differ
) -> Part | None:
    """The least part of a function that natively is not what it is by the reference.

    Ops that hold regions, and calls, are taken as a whole.

    Returns:
        None where no part differs, or none of its ops can be cut out.
    """
    with mlir.library_context():
        cuts = _Cuts(module, function, arguments, differ)
    return cuts.narrowed()


class _Cuts:
    """The ops of a function, numbered, and the values that go from one part to the next."""

    def __init__(
        self, module: mlir.Module, function: str, arguments: Sequence[Array], differ: Differ
    ) -> None:
        self._module, self._arguments, self._differ = module, arguments, differ
        func = ir.functions_by_name(module.operation)[function]
        block = func.regions[0].blocks[0]
        self._ops = [mlir.inner_operation(op) for op in block.operations]
        self._parameters = list(block.arguments)
        self._first = dict.fromkeys(self._parameters, -1)  # the op that gives it
        self._last: dict[Value, int] = {}  # the last op that reads it
        self._reads: list[list[Value]] = []
        for number, op in enumerate(self._ops):
            self._first.update((result, number) for result in op.results)
            reads = list(dict.fromkeys([*op.operands, *ir.captured(op)]))
            self._reads.append(reads)
            self._last.update((value, number) for value in reads)

    def narrowed(self) -> Part | None:
        """Cut off ops behind, then before, as long as what is left differs."""
        first, end = 0, len(self._ops) - 1
        best = self._part(first, end)
        if best is None:
            return None
        while True:
            before = (first, end)
            end, best = self._least_end(first, end, best)
            first, best = self._greatest_first(first, end, best)
            if (first, end) == before:
                return best

    def _least_end(self, first: int, end: int, best: Part) -> tuple[int, Part]:
        low = first  # ends that differ are searched above it
        while low + 1 < end:
            middle = (low + end) // 2
            part = self._part(first, middle)
            if part is None:
                low = middle
            else:
                end, best = middle, part
        return end, best

    def _greatest_first(self, first: int, end: int, best: Part) -> tuple[int, Part]:
        high = end
        while first + 1 < high:
            middle = (first + high) // 2
            part = self._part(middle, end)
            if part is None:
                high = middle
            else:
                first, best = middle, part
        return first, best

    def _part(self, first: int, end: int) -> Part | None:
        """Ops ``first`` to ``end - 1``, if what they give natively differs; else None."""
        try:
            module, arguments = self._cut(first, end), self._read_by(first, end)
            if module is None:
                return None
            expected = _run(module, arguments, "reference")
            got = _run(module, arguments, "native")
        except ShloError:  # what cannot be cut out, or run by itself, tells nothing
            return None
        if not self._differ(got, expected):
            return None
        return Part(self._ops[first:end], module, arguments, expected)

    def _cut(self, first: int, end: int) -> mlir.Module | None:
        ops = self._ops[first:end]
        results = [r for op in ops for r in op.results if self._last.get(r, -1) >= end]
        if not results:
            return None
        return cut_out(ops, self._operands(first, end), results, self._module.operation)

    def _operands(self, first: int, end: int) -> list[Value]:
        """What ops read of those before them, and of the function's arguments."""
        reads = (value for number in range(first, end) for value in self._reads[number])
        values = [value for value in dict.fromkeys(reads) if self._first[value] < first]
        for value in values:
            if len(leaf_types(value.type)) != 1:
                raise ShloError(f"a {value.type} is no array that could be handed on")
        return values

    def _read_by(self, first: int, end: int) -> list[Array]:
        """What the reference has for the operands of ops."""
        values = self._operands(first, end)
        argument_of = dict(zip(self._parameters, self._arguments, strict=True))
        computed_values = [value for value in values if value not in argument_of]
        if computed_values:
            ops = self._ops[:first]
            module = cut_out(ops, self._parameters, computed_values, self._module.operation)
            results = _run(module, self._arguments, "reference")
            argument_of.update(zip(computed_values, results, strict=True))
        return [argument_of[value] for value in values]


def _run(module: mlir.Module, arguments: Sequence[Array], backend: Backend) -> list[Array]:
    results: Any = shlo_tools.compile(module, backend=backend)(*arguments)
    return list(results) if isinstance(results, tuple) else [results]
