"""Types and values of programs that reduce."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8, "ui16": np.uint16}


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def kept(shape: Sequence[int], dimensions: Sequence[int]) -> list[int]:
    return [size for d, size in enumerate(shape) if d not in dimensions]


def numbers(shape: Sequence[int], element: str, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 9, shape).astype(TYPES[element])
