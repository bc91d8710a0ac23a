"""Arrays by element type, how they are compared, and programs of a few lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shlo_tools import reference
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType

Array = np.ndarray[Any, Any]
INF, NAN = math.inf, math.nan


def array(element: str, *values: Any) -> Array:
    return np.array(values, ELEMENT_TYPES[element].dtype)


def type_of(element: str, *shape: int) -> list[TensorType]:
    return [TensorType(shape, ELEMENT_TYPES[element])]


def same(actual: Array, expected: Array) -> None:
    """Equal in type, shape and value; -0 differs from 0, any NaN is NaN."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    wide = np.float64 if actual.dtype.kind in "fV" else actual.dtype
    np.testing.assert_array_equal(actual.astype(wide), expected.astype(wide))
    if wide is np.float64:
        signs = [np.signbit(x.astype(wide)) | np.isnan(x.astype(wide)) for x in (actual, expected)]
        np.testing.assert_array_equal(*signs)


def run(body: str, *arguments: Any, signature: str, **options: Any) -> Any:
    """The results of ``func.func @main`` with a signature and a body."""
    return reference.interpret(f"func.func @main{signature} {{\n{body}\n}}", *arguments, **options)
