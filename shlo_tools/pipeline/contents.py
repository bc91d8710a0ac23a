"""What kinds of ops and types a module holds: what passes ask before they look at all of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation


@dataclass(frozen=True)
class Contents:
    """Names of ops and types below an op.

    Attributes:
        ops: names, the op's own as well.
        types: of results, of blocks' arguments, and in signatures of functions.
        has_private: whether an op has a name that only this module uses.
    """

    ops: frozenset[str]
    types: frozenset[mlir.Type]
    has_private: bool

    def has_op(self, *names: str) -> bool:
        """Whether there is an op of one of these names."""
        return not self.ops.isdisjoint(names)

    def has_dialect(self, *names: str) -> bool:
        """Whether there is an op of one of these dialects."""
        return not self._dialects.isdisjoint(names)

    def has_type(self, *marks: str) -> bool:
        """Whether the spelling of a type holds one of ``marks``."""
        return any(mark in self._spelled for mark in marks)

    @cached_property
    def _dialects(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self.ops)

    @cached_property
    def _spelled(self) -> str:
        return "\n".join(map(str, self.types))


def contents(root: Operation) -> Contents:
    """What there is at and below an op."""
    names: set[str] = set()
    types: set[mlir.Type] = set()
    has_private = False
    for op in mlir.walk(root):
        names.add(op.name)
        types.update(result.type for result in op.results)
        for region in op.regions:
            types.update(a.type for block in region.blocks for a in block.arguments)
        if op.name == "func.func":
            types.update(type for side in ir.signature(op) for type in side)
        if "sym_visibility" in op.attributes and ir.text_of(op, "sym_visibility") != "public":
            has_private = True
    return Contents(frozenset(names), frozenset(types), has_private)
