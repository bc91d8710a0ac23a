"""The three batch normalizations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import moderate
from cases._tolerances import Steps, Sums, Tolerance
from cases._types import FLOAT, QUANTIZED, dtype_of, is_quantized

# shape, feature_index
SHAPES = (
    ((2, 3, 4), 1),
    ((5, 2), 1),
    ((3, 7), 0),
    ((67, 5), 1),
    ((2, 2, 3, 1, 2, 3), 2),
    ((0, 3), 1),
    ((3, 0), 1),
    ((1,), 0),
)


def _near(element: str, count: int) -> Tolerance:
    """Differences from the mean cancel: the bound is that of the numbers before."""
    return Steps(2) if is_quantized(element) else Sums(8 * count, overall=True)


def _inputs(
    element: str, shape: tuple[int, ...], feature: int
) -> tuple[Input, Input, Input, Input]:
    features = (shape[feature],)
    variance = np.abs(moderate(element, features, 3).astype(np.float64)) + 0.5
    return (
        given(element, moderate(element, shape, 1)),
        given(element, moderate(element, features, 2)),
        given(element, moderate(element, features, 4)),
        given(element, np.asarray(variance).astype(dtype_of(element))),
    )


def _attributes(feature: int) -> str:
    return f"epsilon = 0.0625 : f32, feature_index = {feature} : i64"


def _inference(element: str) -> Iterator[Case]:
    for shape, feature in SHAPES:
        operand, scale, offset, variance = _inputs(element, shape, feature)
        inputs = [operand, scale, offset, offset, variance]
        yield call(
            "stablehlo.batch_norm_inference",
            inputs,
            [operand.type],
            _attributes(feature),
            tolerance=_near(element, 2),
        )


def _training(element: str) -> Iterator[Case]:
    for shape, feature in SHAPES:
        operand, scale, offset, _ = _inputs(element, shape, feature)
        count = operand.array.size // max(1, shape[feature])
        yield call(
            "stablehlo.batch_norm_training",
            [operand, scale, offset],
            [operand.type, scale.type, scale.type],
            _attributes(feature),
            tolerance=_near(element, count),
        )


def _grad(element: str) -> Iterator[Case]:
    for shape, feature in SHAPES:
        operand, scale, mean, variance = _inputs(element, shape, feature)
        grad = given(element, moderate(element, shape, 6))
        count = operand.array.size // max(1, shape[feature])
        yield call(
            "stablehlo.batch_norm_grad",
            [operand, scale, mean, variance, grad],
            [operand.type, scale.type, scale.type],
            _attributes(feature),
            tolerance=_near(element, 4 * count),
        )


ROWS = (
    Row("stablehlo.batch_norm_inference", FLOAT + QUANTIZED, _inference),
    Row("stablehlo.batch_norm_training", FLOAT + QUANTIZED, _training),
    Row("stablehlo.batch_norm_grad", FLOAT + QUANTIZED, _grad),
)
