"""Numbers of narrow floats for whole programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases._types import dtype_of
from narrow import NARROW, POWERS

Array = np.ndarray[Any, Any]
each = pytest.mark.parametrize("element", NARROW)


def small_numbers(element: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Small numbers, no NaN among them: sums of few of them are exact in f32."""
    random = np.random.default_rng(seed)
    if element == POWERS:
        return np.asarray(2.0 ** random.integers(-4, 5, shape)).astype(dtype_of(element))
    return np.asarray(random.integers(-4, 5, shape) / 2).astype(dtype_of(element))
