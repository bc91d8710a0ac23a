"""Element types: one table from MLIR spelling to numpy dtype, and quantized ones, read from theirs.

In memory every element takes whole bytes: i1, i2, i4, f4 and f6 are one byte each, as numpy and
ml_dtypes have them (i4 -8 is the byte 0x08). Attributes and compiled functions store them alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import mlir
from shlo_tools.errors import ShloError


class Kind(Enum):
    """What arithmetic means for an element type."""

    BOOLEAN = "boolean"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    COMPLEX = "complex"
    INDEX = "index"
    QUANTIZED = "quantized"


@dataclass(frozen=True)
class ElementType:
    """One element type.

    Attributes:
        name: MLIR's spelling, for example ``"ui8"`` or ``"complex<f32>"``.
        kind: what its arithmetic means.
        bits: width of the value; storage is whole bytes.
        dtype: the numpy dtype that holds it.
    """

    name: str
    kind: Kind
    bits: int
    dtype: np.dtype[Any]

    @cached_property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @cached_property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @cached_property
    def is_complex(self) -> bool:
        return self.kind is Kind.COMPLEX

    @cached_property
    def is_boolean(self) -> bool:
        return self.kind is Kind.BOOLEAN

    @cached_property
    def is_quantized(self) -> bool:
        return self.kind is Kind.QUANTIZED

    @property
    def signless(self) -> str:
        """The spelling after lowering: integers lose their sign (``ui8`` -> ``i8``)."""
        return self.name[1:] if self.kind is Kind.UNSIGNED else self.name

    def wrapped(self, number: int) -> int:
        """The integer (or boolean) that this type makes of a number: its low bits."""
        low = number & ((1 << self.bits) - 1)
        return signed(low, self.bits) if self.kind is Kind.SIGNED else low

    def mlir(self) -> mlir.Type:
        """The MLIR type in the current context."""
        return mlir.parse_type(self.name)

    def __str__(self) -> str:
        return self.name


def signed(number: int, bits: int) -> int:
    """The low bits of a number, read as a signed integer."""
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _rows() -> Iterable[ElementType]:
    def row(name: str, kind: Kind, bits: int, dtype: Any) -> ElementType:
        return ElementType(name, kind, bits, np.dtype(dtype))

    yield row("i1", Kind.BOOLEAN, 1, np.bool_)
    for bits in (8, 16, 32, 64):
        yield row(f"i{bits}", Kind.SIGNED, bits, f"i{bits // 8}")
        yield row(f"ui{bits}", Kind.UNSIGNED, bits, f"u{bits // 8}")
    for bits in (2, 4):
        yield row(f"i{bits}", Kind.SIGNED, bits, getattr(ml_dtypes, f"int{bits}"))
        yield row(f"ui{bits}", Kind.UNSIGNED, bits, getattr(ml_dtypes, f"uint{bits}"))
    yield row("f16", Kind.FLOAT, 16, np.float16)
    yield row("f32", Kind.FLOAT, 32, np.float32)
    yield row("f64", Kind.FLOAT, 64, np.float64)
    yield row("bf16", Kind.FLOAT, 16, ml_dtypes.bfloat16)
    for layout in ("e3m4", "e4m3", "e4m3fn", "e4m3fnuz", "e4m3b11fnuz", "e5m2", "e5m2fnuz"):
        yield row("f8" + layout.upper(), Kind.FLOAT, 8, getattr(ml_dtypes, f"float8_{layout}"))
    yield row("f8E8M0FNU", Kind.FLOAT, 8, ml_dtypes.float8_e8m0fnu)
    yield row("f6E2M3FN", Kind.FLOAT, 6, ml_dtypes.float6_e2m3fn)
    yield row("f6E3M2FN", Kind.FLOAT, 6, ml_dtypes.float6_e3m2fn)
    yield row("f4E2M1FN", Kind.FLOAT, 4, ml_dtypes.float4_e2m1fn)
    yield row("complex<f32>", Kind.COMPLEX, 64, np.complex64)
    yield row("complex<f64>", Kind.COMPLEX, 128, np.complex128)
    yield row("index", Kind.INDEX, 64, np.int64)


ELEMENT_TYPES: dict[str, ElementType] = {row.name: row for row in _rows()}
_BY_DTYPE = {row.dtype: row for row in ELEMENT_TYPES.values() if row.kind is not Kind.INDEX}


def element_type(name: str | mlir.Type) -> ElementType:
    """Look an element type up by its MLIR spelling or type.

    Raises:
        ShloError: it is not one that StableHLO tensors hold.
    """
    text = str(name)
    type = quantized(text) if text.startswith(QUANTIZED) else ELEMENT_TYPES.get(text)
    if type is None:
        raise ShloError(f"element type {text} is not supported")
    return type


def from_dtype(dtype: Any) -> ElementType:
    """The element type that a numpy dtype (or its name, or a Python scalar type) stands for."""
    type = _BY_DTYPE.get(np.dtype(dtype).newbyteorder("="))
    if type is None:
        raise ShloError(f"no element type holds numpy dtype {np.dtype(dtype)}")
    return type


# --- quantized elements ---------------------------------------------------------------------------
QUANTIZED = "!quant."  # how their spelling begins
UNIFORM = (
    r"!quant\.uniform<([iu]\d+)(?:<(-?\d+):(-?\d+)>)?"
    r":(\w+)(?::(\d+))?,\s*(\{[^{}]*\}|[^{}>,]*)>"
)


@dataclass(frozen=True)
class QuantizedElementType(ElementType):
    """Integers that stand for (integer - zero point) * scale; ``dtype`` is that of the integers.

    Attributes:
        storage: the integers' type; only ``storage_min`` to ``storage_max`` are used.
        expressed: the type of the numbers that they stand for.
        axis: the dimension along which scales differ; None where there is only one.
        scales, zero_points: one of each per index of ``axis``.
    """

    storage: ElementType
    storage_min: int
    storage_max: int
    expressed: ElementType
    axis: int | None
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]

    @property
    def is_per_axis(self) -> bool:
        return self.axis is not None

    @property
    def baseline(self) -> tuple[object, ...]:
        """What the specification's ``baseline_element_type`` keeps: all but scale and zero."""
        return (self.storage, self.storage_min, self.storage_max, self.expressed, self.axis)

    def along(
        self, axis: int | None, scales: Iterable[float], zero_points: Iterable[int]
    ) -> QuantizedElementType:
        """The same integers and numbers, with other scales or along another dimension."""
        changed = replace(
            self, axis=axis, scales=tuple(scales), zero_points=tuple(zero_points), name=""
        )
        return replace(changed, name=_spelled(changed))


def _spelled(element: QuantizedElementType) -> str:
    """The element type in MLIR; exponents, because ``1e-05`` is no number there."""
    storage = element.storage.name.replace("ui", "u")
    limits = f"<{element.storage_min}:{element.storage_max}>"
    if (element.storage_min, element.storage_max) == _limits(element.storage):
        limits = ""
    pairs = zip(element.scales, element.zero_points, strict=True)
    listed = ",".join(_exact(scale) + (f":{zero}" if zero else "") for scale, zero in pairs)
    parameters = listed if element.axis is None else f"{{{listed}}}"
    axis = "" if element.axis is None else f":{element.axis}"
    return f"!quant.uniform<{storage}{limits}:{element.expressed}{axis}, {parameters}>"


def _exact(scale: float) -> str:
    short = f"{scale:e}"
    return short if float(short) == scale else f"{scale:.16e}"


def _limits(storage: ElementType) -> tuple[int, int]:
    """The least and the largest integer of a type."""
    signed = storage.kind is Kind.SIGNED
    low = -(1 << (storage.bits - 1)) if signed else 0
    return low, (1 << (storage.bits - signed)) - 1


def storage_named(name: str) -> ElementType | None:
    """The integer type that is ``u8`` inside a quantized type and ``ui8`` elsewhere."""
    return ELEMENT_TYPES.get(name.replace("u", "ui"))


@lru_cache(maxsize=1024)
def quantized(text: str) -> QuantizedElementType | None:
    """Read ``!quant.uniform<i8:f32, 0.5:3>``; None where it is of another form, or too odd a type.

    Other forms have several scales per dimension, or none yet.
    """
    form = re.fullmatch(UNIFORM, text)
    if form is None:
        return None
    stored, low, high, expressed, axis, parameters = form.groups()
    storage, numbers = storage_named(stored), ELEMENT_TYPES.get(expressed)
    if storage is None or numbers is None:
        return None
    least, largest = _limits(storage)
    pairs = [pair.strip().partition(":") for pair in parameters.strip("{}").split(",")]
    element = QuantizedElementType(
        "",
        Kind.QUANTIZED,
        storage.bits,
        storage.dtype,
        storage,
        int(low) if low else least,
        int(high) if high else largest,
        numbers,
        None if axis is None else int(axis),
        tuple(float(scale) for scale, _, _ in pairs),
        tuple(int(zero_point or 0) for _, _, zero_point in pairs),
    )
    return replace(element, name=_spelled(element))
