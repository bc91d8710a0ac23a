"""The fast cases by StableHLO's own interpreter, which has the last word where it has one.

Where it differs from the reference, FAULTS says which of the two follows the specification's
text, and why. A row that no longer excuses anything fails.
"""

from __future__ import annotations

from cases._types import FLOAT, TENSOR
from runs import oracles
from runs.oracles import Fault

# Integer division has its divisors changed: the interpreter ends its process on 0 and -1.
FAMILIES = (
    *("contraction", "control_flow", "convolution", "data_movement", "dynamism", "elementwise"),
    *("gather_scatter", "grouping", "linear_algebra", "reduction", "signal", "sorting", "windows"),
)
NOT_ASKED = {
    "stablehlo.cholesky": "not implemented there: it ends its process",
    "stablehlo.custom_call": "not implemented there",
    "stablehlo.real_dynamic_slice": "not implemented there",
    "stablehlo.set_dimension_size": "results of unknown size are not implemented there",
}


E8M0 = ("f8E8M0FNU",)
WITHOUT_NAN = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
COMPLEX = ("complex<f32>", "complex<f64>")
WITH_NAN = tuple(e for e in FLOAT if e not in (*WITHOUT_NAN, *E8M0) and not e.endswith("FNUZ"))

FAULTS = (
    Fault(
        "differs",
        "atan2 ceil cosine dynamic_iota floor imag iota log logistic negate power "
        "reduce_precision remainder round_nearest_afz round_nearest_even rsqrt sine subtract tan "
        "tanh divide",
        E8M0,
        "the type has neither sign nor zero: ours gives NaN, the interpreter drops the sign",
    ),
    Fault(
        "differs",
        "divide log log_plus_one power remainder rsqrt sqrt",
        WITHOUT_NAN,
        "the type has neither infinity nor NaN, and what becomes of them is left open: ours "
        "saturates, and NaN is -0, as in ml_dtypes; the interpreter keeps low bits of their codes",
    ),
    Fault(
        "differs",
        "ceil floor round_nearest_afz round_nearest_even",
        ("f6E2M3FN", "f8E3M4"),
        "ceil(0.125) is 1; the interpreter gives 0 in types of small exponents",
    ),
    Fault(
        "differs",
        "logistic",
        ("f8E3M4", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ"),
        "one rounding of the exact value; the interpreter rounds after each of three steps",
    ),
    Fault(
        "differs",
        "cbrt exponential_minus_one log_plus_one power",
        COMPLEX,
        "near 0 the interpreter computes exp(z) - 1 and log(1 + z) as written and loses small "
        "parts; complex 0 to the power of 0 is NaN there, 1 here and in XLA",
    ),
    Fault(
        "differs",
        "sort",
        WITH_NAN,
        "known (checklist of the interpreter's faults): TOTALORDER is evaluated as FLOAT there",
    ),
    Fault(
        "differs",
        "select_and_scatter",
        TENSOR,
        "the init value of the case is not neutral, and how often `reduce` takes it is left open: "
        "ours and XLA take it once, the interpreter twice",
    ),
    Fault("dies", "remainder", COMPLEX, "the specification leaves complex remainder open"),
    Fault("dies", "select_and_scatter sort", COMPLEX, "complex LT and GE end the interpreter"),
    Fault("dies", "fft", ("f32", "complex<f32>"), "known: the interpreter transforms f64 only"),
)


def test_differences_are_known() -> None:
    oracle = oracles.Oracle("runs.official")
    oracles.check(oracles.verdicts(oracle, FAMILIES, TENSOR, NOT_ASKED), FAULTS)
