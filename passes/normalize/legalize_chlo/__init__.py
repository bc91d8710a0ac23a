"""CHLO to StableHLO.

Before:
    %0 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
After:
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.atan2 %x, %one : tensor<4xf32>

Each family file holds one function per op: mathematics as a formula (``formula.Term``), other
rewrites on tensors. ``tables.py`` holds the coefficients. What has no rule is refused with its
name, types and location.

With ``library`` the functions stay that kernels call (``codegen.library.maths``): of tensors of
known sizes, of f32 and 16-bit floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LegalizeChlo(Pass):
    """Rewrite CHLO in StableHLO.

    Args:
        library: leave the functions that kernels call.
    """

    name = "shlo-legalize-chlo"
    library: bool = False

    def concerns(self, contents: Contents) -> bool:
        return contents.has_dialect("chlo")

    def run(self, op: Operation) -> None:
        from shlo_tools.passes.normalize.legalize_chlo.families import rules  # only if needed

        names = {inner.name for inner in mlir.walk(op) if inner.name.startswith("chlo.")}
        known = dict(rules(names))
        if self.library:
            known |= {name: _unless_called(known[name]) for name in _IN_LIBRARY if name in known}
        ir.rewrite(op, known)


_IN_LIBRARY = ("chlo.erf", "chlo.erfc")
_FLOATS = ("f16", "bf16", "f32")


def _unless_called(rule: ir.Rewrite) -> ir.Rewrite:
    """A rule for the ops that kernels do not call."""

    def rewritten(op: Operation, build: ir.Build) -> Sequence[Value] | None:
        type = op.results[0].type
        if mlir.is_static_tensor(type) and mlir.spelling(type.element_type) in _FLOATS:
            return None
        return rule(op, build)

    return rewritten
