"""Remainders of f32 beside numpy's, which are exact: the same bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from staged_programs import staged

COUNT = 1 << 14
TEXT = f"""
func.func @main(%x: tensor<{COUNT}xf32>, %y: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
  %0 = stablehlo.remainder %x, %y : tensor<{COUNT}xf32>
  return %0 : tensor<{COUNT}xf32>
}}"""
EDGES = [0.0, 1e-45, 2.0**-126, 0.5, 1.0, 2.0**23, 2.0**24 - 1, 2.0**25 + 4, 3.4e38, np.inf, np.nan]


def edges(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.array([*EDGES, *(-x for x in EDGES)], np.float32)
    return rng.choice(numbers, COUNT), rng.choice(numbers, COUNT)


def bits(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x, y = (np.frombuffer(rng.bytes(4 * COUNT), np.float32) for _ in range(2))
    return x, y


def near(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Quotients that are just below or above whole numbers."""
    y = rng.uniform(0.1, 3, COUNT).astype(np.float32)
    x = (y.astype(np.float64) * rng.integers(1, 1 << 22, COUNT)).astype(np.float32)
    return np.nextafter(x, rng.choice(np.array([-np.inf, np.inf], np.float32), COUNT)), y


def far(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Quotients of more digits than f32 has, in some lanes: up to 2^60."""
    x = rng.uniform(-1, 1, COUNT) * 2.0 ** rng.integers(0, 61, COUNT)
    return x.astype(np.float32), rng.uniform(0.5, 2, COUNT).astype(np.float32)


@pytest.mark.parametrize("operands", [edges, bits, near, far], ids=lambda f: f.__name__)
def test_remainders_are_exact(
    operands: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]],
) -> None:
    x, y = operands(np.random.default_rng(3))
    with np.errstate(invalid="ignore"):
        expected = np.fmod(x, y)
    result = staged(TEXT)(x, y)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(
        result[numbers].view(np.uint32), expected[numbers].view(np.uint32)
    )
