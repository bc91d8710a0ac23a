"""What kinds of ops and types a module holds: what passes ask before they look at all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation

_WITHOUT_SYMBOLS = ("stablehlo.", "chlo.", "arith.")


@dataclass
class Function:
    """A function: how many ops it has with itself, and whom it calls."""

    is_private: bool
    ops: int = 0
    callees: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Contents:
    """Names of ops and types below an op; there may be fewer since somebody looked.

    Attributes:
        ops: names, the op's own as well.
        types: of results, of blocks' arguments, and in signatures of functions.
        functions: by name.
        has_private_symbols: whether there are others than functions that only this module uses.
    """

    ops: frozenset[str]
    types: frozenset[mlir.Type]
    functions: Mapping[str, Function]
    has_private_symbols: bool

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
    def may_have_unused(self) -> bool:
        """Whether there may be a symbol that nobody uses."""
        used = [name for name, function in self.functions.items() if not function.is_private]
        reached = set(used)
        while used:
            function = self.functions.get(used.pop())
            new = set(function.callees) - reached if function else set()
            reached |= new
            used += new
        return self.has_private_symbols or not reached.issuperset(self.functions)

    @cached_property
    def _dialects(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self.ops)

    @cached_property
    def _spelled(self) -> str:
        return "\n".join(map(str, self.types))


def contents(root: Operation, ops: Iterable[Operation] | None = None) -> Contents:
    """What there is at and below an op; ``ops`` are those, where somebody has walked it."""
    names: set[str] = set()
    types: set[mlir.Type] = set()
    functions: dict[str, Function] = {}
    function = Function(False)
    has_private_symbols = False
    for op in mlir.walk(root) if ops is None else ops:
        name = op.name
        names.add(name)
        for result in op.results:
            types.add(result.type)
        for region in op.regions if len(op.regions) else ():
            for block in region.blocks:
                types.update([argument.type for argument in block.arguments])
        if name == "func.func":
            types.update(type for side in ir.signature(op) for type in side)
            function = functions[ir.symbol_name(op)] = Function(_is_private(op))
        elif name == "func.call":
            function.callees.append(ir.callee_of(op))
        elif not name.startswith(_WITHOUT_SYMBOLS):
            has_private_symbols |= _is_private(op)
        function.ops += 1
    return Contents(frozenset(names), frozenset(types), functions, has_private_symbols)


def _is_private(op: Operation) -> bool:
    visibility = "sym_visibility"
    return visibility in op.attributes and ir.text_of(op, visibility) != "public"
