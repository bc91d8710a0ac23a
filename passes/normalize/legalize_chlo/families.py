"""All rules for CHLO: families register theirs when they are loaded."""

from __future__ import annotations

from shlo_tools.passes.normalize.legalize_chlo import (
    bessel,
    broadcasting,
    complex_functions,
    contraction,
    elementary,
    error_functions,
    gamma_functions,
    quantized_broadcasting,
    scans,
    sorting,
    trigonometric,
)
from shlo_tools.passes.normalize.legalize_chlo.rules import RULES

__all__ = ["FAMILIES", "RULES"]

FAMILIES = (
    *(bessel, broadcasting, complex_functions, contraction, elementary, error_functions),
    *(gamma_functions, quantized_broadcasting, scans, sorting, trigonometric),
)
