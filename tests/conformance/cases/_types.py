"""Element types by the names that the specification's tables of inputs use.

Beside the element types of ``dtypes.ELEMENT_TYPES`` there are two columns for quantized tensors,
``quantized`` (per tensor) and ``quantized per axis``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES, Kind

_ROWS = [row for row in ELEMENT_TYPES.values() if row.kind is not Kind.INDEX]


def _of(kind: Kind) -> tuple[str, ...]:
    return tuple(row.name for row in sorted(_ROWS, key=lambda r: r.bits) if row.kind is kind)


BOOLEAN = ("i1",)
SIGNED = _of(Kind.SIGNED)
UNSIGNED = _of(Kind.UNSIGNED)
INTEGER = SIGNED + UNSIGNED
FLOAT = _of(Kind.FLOAT)
COMPLEX = _of(Kind.COMPLEX)
QUANTIZED = ("quantized",)
PER_AXIS = ("quantized per axis",)

LOGICAL = BOOLEAN + INTEGER
FLOAT_OR_COMPLEX = FLOAT + COMPLEX
SIGNED_NUMBER = SIGNED + FLOAT + COMPLEX
NUMBER = INTEGER + FLOAT + COMPLEX
TENSOR = BOOLEAN + NUMBER  # the specification's "tensor", without quantized ones
ALL = TENSOR + QUANTIZED + PER_AXIS
WIDE_FLOAT = ("f32", "f64")

# Of each way to store elements one type, for variants that have little to do with the type.
CORE = ("i1", "i4", "i8", "ui32", "f8E5M2", "bf16", "f32", "complex<f64>", "quantized")

# The scale is a power of two, so that quantizing what was dequantized is exact.
PER_TENSOR = "!quant.uniform<i8:f32, 0.0625:-3>"
STORAGE = np.dtype(np.int8)


def is_quantized(element: str) -> bool:
    return element in QUANTIZED + PER_AXIS


def dtype_of(element: str) -> np.dtype[Any]:
    """What holds the elements; of a quantized type its integers."""
    return STORAGE if is_quantized(element) else ELEMENT_TYPES[element].dtype


def finfo(dtype: Any) -> Any:
    """``ml_dtypes.finfo``, which knows the types of numpy, too; of complex ones, of their parts."""
    information: Any = ml_dtypes.finfo
    return information(np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype)


def is_float(element: str) -> bool:
    return element in FLOAT


def is_complex(element: str) -> bool:
    return element in COMPLEX


def part_of(element: str) -> str:
    """The type of the real and imaginary parts; of a real type itself."""
    return element[len("complex<") : -1] if is_complex(element) else element


def per_axis(size: int, axis: int) -> str:
    """A quantized element type with one scale and zero point per index of a dimension."""
    pairs = [f"{2.0 ** -(3 + i % 3)}:{i % 5 - 2}" for i in range(size)]
    return f"!quant.uniform<i8:f32:{axis}, {{{', '.join(pairs)}}}>"


def spelled(element: str, shape: Sequence[int], axis: int | None = None) -> str:
    """The element type as a program of this shape spells it."""
    if element in QUANTIZED:
        return PER_TENSOR
    if element in PER_AXIS:
        axis = len(shape) - 1 if axis is None else axis
        return per_axis(shape[axis], axis)
    return element


def tensor(element: str, shape: Sequence[int], axis: int | None = None) -> str:
    """A tensor type; ``axis`` is the quantized dimension, the last one by default."""
    sizes = "".join(f"{size}x" for size in shape)
    return f"tensor<{sizes}{spelled(element, shape, axis)}>"
