"""``result_accuracy``: how far a function's result may be from the exact one.

``DEFAULT`` asks for nothing, ``HIGHEST`` for the best implementation, of which there is one.
``TOLERANCE`` gives up to three bounds of which the error may use the sum,

    |result - exact| <= atol + rtol * |exact| + ulps * ulp(exact)

so that one of them that our stated bound keeps is enough. A tolerance that none keeps is refused.
Relative ones are of normal numbers: below those an error is a few of the smallest numbers.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes

from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.ir import raise_unsupported
from shlo_tools.mlir import Operation
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.accuracy import ResultAccuracy

ATTRIBUTE = "result_accuracy"

# Ops that may have one, and the largest magnitude of their results (None: that of the type).
LARGEST: dict[str, float | None] = {
    "stablehlo.cbrt": None,
    "stablehlo.cosine": 1.0,
    "stablehlo.exponential": None,
    "stablehlo.exponential_minus_one": None,
    "stablehlo.log": None,
    "stablehlo.log_plus_one": None,
    "stablehlo.logistic": 1.0,
    "stablehlo.rsqrt": None,
    "stablehlo.sine": 1.0,
    "stablehlo.sqrt": None,
    "stablehlo.tan": None,
    "stablehlo.tanh": 1.0,
}

# What the library states, in units in the last place; narrower floats are rounded from f32.
BOUNDS = {"f64": 4, "f32": 2}
ROUNDED_BOUND = 1
COMPLEX_BOUND = 3  # of each part
OF_MODULUS = ("stablehlo.exponential_minus_one", "stablehlo.logistic")  # a part may have less


def check(op: Operation) -> None:
    """Raise UnsupportedError for an op that asks for more than the stated bound."""
    reason = refusal(op)
    if reason:
        raise_unsupported([op], reason)


def refusal(op: Operation) -> str:
    """Why the accuracy that an op asks for is more than is stated; '' where it is kept."""
    accuracy = tolerance_of(op)
    if accuracy is None:
        return ""
    element = tensor_type(op.results[0].type).element_type
    if element.is_complex and op.name in OF_MODULUS:
        return f"an accuracy of {accuracy}: no bound is stated for a part's error"
    ulps = COMPLEX_BOUND if element.is_complex else BOUNDS.get(element.name, ROUNDED_BOUND)
    largest = None if element.is_complex else LARGEST[op.name]
    if _kept(accuracy, ulps, element, largest):
        return ""
    return f"an accuracy of {accuracy}: the bound stated for {element} is {ulps} ulp"


def tolerance_of(op: Operation) -> ResultAccuracy | None:
    """What an op asks for; None where it leaves the accuracy to us."""
    if ATTRIBUTE not in op.attributes:
        return None
    accuracy: ResultAccuracy = codec(ResultAccuracy).decode(op.attributes[ATTRIBUTE])
    return accuracy if accuracy.is_tolerance else None


def _kept(accuracy: ResultAccuracy, ulps: int, element: ElementType, largest: float | None) -> bool:
    """Whether an error of so many ulps stays within one of the bounds."""
    info: Any = ml_dtypes.finfo(element.dtype)  # type: ignore[no-untyped-call]
    relative = ulps * float(info.eps)
    absolute = relative * (float(info.max) if largest is None else largest)
    return accuracy.ulps >= ulps or accuracy.rtol >= relative or accuracy.atol >= absolute
