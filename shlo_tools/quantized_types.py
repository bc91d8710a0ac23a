"""Quantized tensor types, read from their MLIR spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from shlo_tools import mlir
from shlo_tools.dtypes import UNKNOWN, Dim, ElementType, Kind, TensorType, element_type
from shlo_tools.errors import ShloError


@dataclass(frozen=True)
class QuantizedType:
    """A tensor of integers that stand for (integer - zero point) * scale.

    Attributes:
        shape: sizes.
        storage: the integers' type; only ``storage_min`` to ``storage_max`` are used.
        expressed: the type of the numbers that they stand for.
        axis: the dimension along which scales differ; None where there is only one.
        scales, zero_points: one of each per index of ``axis``.
    """

    shape: tuple[Dim, ...]
    storage: ElementType
    storage_min: int
    storage_max: int
    expressed: ElementType
    axis: int | None
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]

    @property
    def storage_type(self) -> TensorType:
        """The type of the integers."""
        return TensorType(self.shape, self.storage)

    @property
    def expressed_type(self) -> TensorType:
        """The type of the numbers."""
        return TensorType(self.shape, self.expressed)

    def spelled(self) -> str:
        """The tensor type in MLIR; exponents, because ``1e-05`` is no number there."""
        sizes = "".join(f"{size}x" for size in self.shape)
        storage = self.storage.name.replace("ui", "u")
        pairs = zip(self.scales, self.zero_points, strict=True)
        listed = ",".join(f"{scale:.17e}:{zero_point}" for scale, zero_point in pairs)
        parameters = listed if self.axis is None else f"{{{listed}}}"
        axis = "" if self.axis is None else f":{self.axis}"
        limits = f"<{self.storage_min}:{self.storage_max}>"
        return (
            f"tensor<{sizes}!quant.uniform<{storage}{limits}:{self.expressed}{axis}, {parameters}>>"
        )

    @property
    def parameters(self) -> tuple[object, ...]:
        """All but the shape."""
        limits = (self.storage, self.storage_min, self.storage_max, self.expressed)
        return (*limits, self.axis, self.scales, self.zero_points)


_ELEMENT = (
    r"!quant\.uniform<([iu]\d+)(?:<(-?\d+):(-?\d+)>)?"
    r":(\w+)(?::(\d+))?,\s*(\{[^{}]*\}|[^{}>,]*)>"
)
_FORM = re.compile(r"tensor<((?:(?:\d+|\?)x)*)" + _ELEMENT)


@lru_cache(maxsize=1024)
def parse_quantized(text: str) -> QuantizedType:
    """Read ``tensor<4x!quant.uniform<i8:f32, 0.5:3>>``.

    Raises:
        ShloError: it is no quantized tensor with one scale, or one per index of a dimension.
    """
    found = _FORM.match(text)
    if not found:
        raise ShloError(f"{text} is no tensor that is quantized per tensor or per axis")
    sizes, stored, low, high, expressed, axis, parameters = found.groups()
    storage = _storage(stored)
    signed = storage.kind is Kind.SIGNED
    pairs = [pair.strip().partition(":") for pair in parameters.strip("{}").split(",")]
    return QuantizedType(
        tuple(UNKNOWN if size == "?" else int(size) for size in sizes.split("x") if size),
        storage,
        int(low) if low else (-(1 << (storage.bits - 1)) if signed else 0),
        int(high) if high else (1 << (storage.bits - signed)) - 1,
        element_type(expressed),
        None if axis is None else int(axis),
        tuple(float(scale) for scale, _, _ in pairs),
        tuple(int(zero_point or 0) for _, _, zero_point in pairs),
    )


def _storage(name: str) -> ElementType:
    """``u8`` inside a quantized type is ``ui8`` elsewhere."""
    return element_type(name.replace("u", "ui"))


def storage_spelling(text: str) -> str:
    """A type's spelling with storage types in place of quantized ones, as far as they are known."""
    return re.sub(_ELEMENT, lambda found: _storage(found[1]).name, text)


def stored_type(type: mlir.Type) -> mlir.Type:
    """A type with integers in place of quantized elements, in tuples and functions too."""
    text = str(type)
    return mlir.parse_type(storage_spelling(text)) if "!quant." in text else type


def is_quantized(text: object) -> bool:
    """Whether a type's spelling is that of a quantized tensor."""
    return str(text).startswith("tensor<") and "!quant." in str(text)
