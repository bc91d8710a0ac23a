"""All rules for CHLO: families register theirs when they are loaded, which is when they are needed.

A program has ops of one or two of them, and loading all takes as long as compiling a small one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module

from shlo_tools import ir
from shlo_tools.passes.normalize.legalize_chlo.rules import RULES

__all__ = ["FAMILIES", "rules"]

_ANGLES = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh")
# The ops of each. What is listed nowhere may need any of them, as ``broadcast_zeta`` does.
FAMILIES: Mapping[str, Collection[str]] = {
    "bessel": ("bessel_i1e",),
    "broadcasting": (),
    "complex_functions": (*_ANGLES, "_asin_acos_kernel", "conj", "square", "tan"),
    "contraction": ("ragged_dot",),
    "elementary": (
        *("constant", "constant_like", "is_inf", "is_neg_inf", "is_pos_inf", "mulhi"),
        *("next_after", "square", "tan"),
    ),
    "error_functions": ("erf", "erf_inv", "erfc"),
    "gamma_functions": ("digamma", "lgamma", "polygamma", "zeta"),
    "quantized_broadcasting": (),
    "scans": ("scan",),
    "sorting": ("top_k",),
    "trigonometric": _ANGLES,
}
_LISTED = {f"chlo.{name}" for names in FAMILIES.values() for name in names}


def rules(names: Collection[str] | None = None) -> Mapping[str, ir.Rewrite]:
    """The rules of ops of these names at least; of all of them by default."""
    is_listed = names is not None and _LISTED.issuperset(names)
    for family, own in FAMILIES.items():
        if not is_listed or any(f"chlo.{name}" in (names or ()) for name in own):
            _load(family)
    return RULES


@cache
def _load(family: str) -> None:
    import_module(f"shlo_tools.passes.normalize.legalize_chlo.{family}")
