"""CHLO, the client's dialect: special functions, broadcasting forms, and what exporters leave.

Reached as ``ops.chlo.erf`` and so on, because several names are those of StableHLO ops.
``shlo-legalize-chlo`` rewrites every one of them in StableHLO.
"""

from shlo_tools.ops.chlo.bessel import bessel_i1e
from shlo_tools.ops.chlo.broadcasting import (
    broadcast_add,
    broadcast_and,
    broadcast_atan2,
    broadcast_compare,
    broadcast_complex,
    broadcast_divide,
    broadcast_maximum,
    broadcast_minimum,
    broadcast_multiply,
    broadcast_next_after,
    broadcast_or,
    broadcast_polygamma,
    broadcast_power,
    broadcast_remainder,
    broadcast_select,
    broadcast_shift_left,
    broadcast_shift_right_arithmetic,
    broadcast_shift_right_logical,
    broadcast_subtract,
    broadcast_xor,
    broadcast_zeta,
)
from shlo_tools.ops.chlo.complex_functions import _asin_acos_kernel, conj
from shlo_tools.ops.chlo.contraction import ragged_dot
from shlo_tools.ops.chlo.elementary import (
    constant,
    constant_like,
    is_inf,
    is_neg_inf,
    is_pos_inf,
    mulhi,
    next_after,
    square,
    tan,
)
from shlo_tools.ops.chlo.error_functions import erf, erf_inv, erfc
from shlo_tools.ops.chlo.gamma_functions import digamma, lgamma, polygamma, zeta
from shlo_tools.ops.chlo.scans import scan
from shlo_tools.ops.chlo.sorting import top_k
from shlo_tools.ops.chlo.trigonometric import acos, acosh, asin, asinh, atan, atanh, cosh, sinh

__all__ = [
    "_asin_acos_kernel",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "broadcast_add",
    "broadcast_and",
    "broadcast_atan2",
    "broadcast_compare",
    "broadcast_complex",
    "broadcast_divide",
    "broadcast_maximum",
    "broadcast_minimum",
    "broadcast_multiply",
    "broadcast_next_after",
    "broadcast_or",
    "broadcast_polygamma",
    "broadcast_power",
    "broadcast_remainder",
    "broadcast_select",
    "broadcast_shift_left",
    "broadcast_shift_right_arithmetic",
    "broadcast_shift_right_logical",
    "broadcast_subtract",
    "broadcast_xor",
    "broadcast_zeta",
    "conj",
    "constant",
    "constant_like",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "mulhi",
    "next_after",
    "polygamma",
    "ragged_dot",
    "scan",
    "sinh",
    "square",
    "tan",
    "top_k",
    "zeta",
]
