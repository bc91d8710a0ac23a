"""What CHLO's ops compute."""

from shlo_tools.reference.chlo import (
    bessel,
    broadcasting,
    complex_functions,
    contraction,
    elementary,
    error_functions,
    gamma_functions,
    scans,
    sorting,
    trigonometric,
)
