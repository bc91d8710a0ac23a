"""Which ops do nothing but compute their results."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation
from shlo_tools.ops import DESCRIPTIONS, Trait, has_trait
from shlo_tools.program.loop_counts import iterations

_CALLS = frozenset(("func.call", "stablehlo.composite"))
_ENDS = frozenset(("stablehlo.return", "func.return"))
_PURE = frozenset(("arith.constant",))  # of other dialects


@dataclass(frozen=True)
class Effects:
    """What is assumed of ops that do not say what they do.

    Attributes:
        pure_calls: calls of functions and composites only compute.
        host_calls: so do custom calls that do not say that they do more.
        endless: so do loops of which nothing says that they end.
    """

    pure_calls: bool = False
    host_calls: bool = True
    endless: bool = True

    def is_dead(self, op: Operation) -> bool:
        """Whether an op can be erased: it only computes, and nothing uses its results."""
        results = op.results
        if not len(results) or any(next(result.uses, None) is not None for result in results):
            return False
        return self.only_computes(op)

    def only_computes(self, op: Operation) -> bool:
        """Whether an op, with all that is in its regions, has no effect but its results."""
        if not self._alone(op):
            return False
        inner = mlir.walk(op)[1:] if len(op.regions) else ()
        return all(o.name in _ENDS or self._alone(o) for o in inner)

    def _alone(self, op: Operation) -> bool:
        name = op.name
        if name == "stablehlo.custom_call":
            return self.host_calls and not ir.flag_of(op, "has_side_effect")
        if name in _CALLS:
            return self.pure_calls
        if name == "stablehlo.while" and not self.endless:
            return iterations(op) is not None
        if has_trait(name, Trait.EFFECTS):
            return False
        return name in DESCRIPTIONS or name in _PURE
