"""Element types: one table from MLIR spelling to numpy dtype, and constants to and from arrays.

In memory every element takes whole bytes: i1, i2, i4, f4 and f6 are one byte each, as numpy and
ml_dtypes have them (i4 -8 is the byte 0x08). Attributes and compiled functions store them alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import mlir
from shlo_tools.dims import UNKNOWN as UNKNOWN
from shlo_tools.dims import Dim as Dim
from shlo_tools.dims import Size
from shlo_tools.errors import ShloError


class Kind(Enum):
    """What arithmetic means for an element type."""

    BOOLEAN = "boolean"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    COMPLEX = "complex"
    INDEX = "index"


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

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_complex(self) -> bool:
        return self.kind is Kind.COMPLEX

    @property
    def is_boolean(self) -> bool:
        return self.kind is Kind.BOOLEAN

    @property
    def signless(self) -> str:
        """The spelling after lowering: integers lose their sign (``ui8`` -> ``i8``)."""
        return self.name[1:] if self.kind is Kind.UNSIGNED else self.name

    def mlir(self) -> mlir.Type:
        """The MLIR type in the current context."""
        return mlir.parse_type(self.name)

    def __str__(self) -> str:
        return self.name


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
    found = ELEMENT_TYPES.get(str(name))
    if found is None:
        raise ShloError(f"element type {name} is not supported")
    return found


def from_dtype(dtype: Any) -> ElementType:
    """The element type that a numpy dtype (or its name, or a Python scalar type) stands for."""
    found = _BY_DTYPE.get(np.dtype(dtype).newbyteorder("="))
    if found is None:
        raise ShloError(f"no element type holds numpy dtype {np.dtype(dtype)}")
    return found


# --- dimensions and tensor types ------------------------------------------------------------------
@dataclass(frozen=True)
class TensorType:
    """Shape and element type of a ranked tensor.

    Attributes:
        shape: sizes; ``UNKNOWN`` or an expression where they are known only at run time.
        element_type: what it holds.
        bounds: per dimension the largest size, or None (``#stablehlo.bounds``).
    """

    shape: tuple[Dim, ...]
    element_type: ElementType
    bounds: tuple[int | None, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    @cached_property
    def is_static(self) -> bool:
        return all(isinstance(d, int) for d in self.shape)

    @cached_property
    def static_shape(self) -> tuple[int, ...]:
        """The shape; raises ShloError where a size is unknown."""
        if not self.is_static:
            raise ShloError(f"{self} has unknown sizes")
        return tuple(d for d in self.shape if isinstance(d, int))

    @cached_property
    def size(self) -> int:
        """Number of elements of a static tensor."""
        count = 1
        for dim in self.static_shape:
            count *= dim
        return count

    @cached_property
    def nbytes(self) -> int:
        return self.size * self.element_type.dtype.itemsize

    def admits(self, shape: Sequence[int]) -> bool:
        """Whether an array of a shape has the type's sizes, as far as that knows them."""
        if self.is_static or len(shape) != self.rank:
            return tuple(shape) == self.shape
        bounds = self.bounds or [None] * self.rank
        return all(
            size == dim if isinstance(dim, int) else bound is None or size <= bound
            for size, dim, bound in zip(shape, self.shape, bounds, strict=True)
        )

    def with_shape(self, shape: Iterable[Dim]) -> TensorType:
        return TensorType(tuple(shape), self.element_type)

    def with_element(self, element: ElementType) -> TensorType:
        return replace(self, element_type=element)

    def mlir(self) -> mlir.Type:
        """The MLIR type in the current context."""
        shape = [d if isinstance(d, int) else mlir.DYNAMIC for d in self.shape]
        encoding = mlir.parse_attribute(self._encoding) if self._encoding else None
        return mlir.tensor_type(shape, self.element_type.mlir(), encoding)

    @property
    def _encoding(self) -> str:
        """The bounds as MLIR spells them; '' where there are none."""
        if all(bound is None for bound in self.bounds):
            return ""
        sizes = ", ".join("?" if bound is None else str(bound) for bound in self.bounds)
        return f"#stablehlo.bounds<{sizes}>"

    def __str__(self) -> str:
        sizes = (f"({d})" if isinstance(d, Size) else str(d) for d in self.shape)
        encoding = f", {self._encoding}" if self._encoding else ""
        return f"tensor<{''.join(f'{size}x' for size in sizes)}{self.element_type}{encoding}>"


_TENSOR = re.compile(r"(?:tensor|memref)<((?:(?:\d+|\?)x)*)([a-z][\w<>]*?)(?:, (.*))?>$")
_BOUNDS = re.compile(r"#stablehlo\.bounds<([^>]*)>")


@lru_cache(maxsize=4096)
def parse_tensor_type(text: str) -> TensorType:
    """Read a tensor type from its MLIR spelling, or the short ``2x3xf32``.

    Raises:
        ShloError: it is no ranked tensor of a supported element type.
    """
    found = _TENSOR.match(text if "tensor<" in text or "memref<" in text else f"tensor<{text}>")
    if not found:
        raise ShloError(f"{text!r} is no tensor type", hint="write it as tensor<2x3xf32>")
    dims = [d for d in found[1].split("x") if d]
    bounds: tuple[int | None, ...] = ()
    encoding = _BOUNDS.search(found[3] or "")
    if encoding:
        bounds = tuple(None if b.strip() == "?" else int(b) for b in encoding[1].split(","))
    shape = tuple(UNKNOWN if d == "?" else int(d) for d in dims)
    return TensorType(shape, element_type(found[2]), bounds)


def tensor_type(type: mlir.Type) -> TensorType:
    """An MLIR tensor (or memref) type as a TensorType; raises ShloError for any other."""
    return parse_tensor_type(str(type))


def of_array(array: np.ndarray[Any, Any]) -> TensorType:
    """The tensor type of an array."""
    return TensorType(tuple(array.shape), from_dtype(array.dtype))


ADDRESSES = 1 << 47  # bytes that a process has addresses for


# --- constants ------------------------------------------------------------------------------------
Array = np.ndarray[Any, Any]


def to_attribute(array: Array, element: ElementType | None = None) -> mlir.Attribute:
    """A dense attribute with the values of ``array``, in the current context.

    Equal bytes everywhere become a splat, as MLIR does itself.
    """
    element = element or from_dtype(array.dtype)
    stored = np.ascontiguousarray(array.astype(element.dtype, copy=False))
    raw = stored.view(np.uint8).reshape(-1) if stored.size else np.zeros(0, np.uint8)
    if element.bits < 8:
        raw = raw & np.uint8((1 << element.bits) - 1)
    type = TensorType(tuple(array.shape), element).mlir()
    return mlir.dense_from_bytes(raw, type)


def from_attribute(attribute: mlir.Attribute) -> Array:
    """The values of a dense attribute as a new array.

    Raises:
        ShloError: the attribute holds no values (a resource without data), is not dense, or
            stands for more values than there is memory for.
    """
    type = tensor_type(attribute.type)
    element = type.element_type
    if mlir.is_dense_resource(attribute):
        return _read(mlir_resource_bytes(attribute), type)
    if mlir.is_sparse(attribute):
        indices, values = map(from_attribute, mlir.sparse_parts(attribute))
        dense = np.zeros(type.static_shape, element.dtype)
        dense[tuple(indices.T)] = values
        return dense
    if not mlir.is_dense(attribute):
        raise ShloError(f"{attribute} is no dense constant")
    if getattr(attribute, "is_splat", False):
        if type.nbytes > ADDRESSES:
            raise ShloError(
                f"a constant of {type} takes {type.nbytes:,} bytes: no machine has them"
            )
        one = _read(mlir.dense_bytes(attribute, element.dtype.itemsize), type.with_shape(()))
        try:
            return np.full(type.static_shape, one, element.dtype)
        except MemoryError as error:
            raise ShloError(f"no memory for a constant of type {type}") from error
    return _read(mlir.dense_bytes(attribute, type.nbytes), type)


def _read(raw: bytes, type: TensorType) -> Array:
    element = type.element_type
    if len(raw) != type.nbytes:
        raise ShloError(f"constant of {type} has {len(raw)} bytes, needs {type.nbytes}")
    return np.frombuffer(raw, element.dtype).reshape(type.static_shape).copy()


_RESOURCE_NAME = re.compile(r"dense_resource<([^>]*)>")


def mlir_resource_bytes(attribute: mlir.Attribute) -> bytes:
    """The data of a ``dense_resource`` attribute.

    The bindings read no resource, and asking the C API for one without data crashes; printing a
    module that uses it is the safe way.
    """
    module = mlir.empty_module()
    module.operation.attributes["shlo.value"] = attribute
    text = module.operation.get_asm()
    name = _RESOURCE_NAME.match(str(attribute))
    key = re.escape(name[1]) if name else ""
    found = re.search(rf'\b{key}"?: "0x([0-9A-Fa-f]*)"', text[text.rfind("{-#") :])
    if not found or text.rfind("{-#") < 0:
        raise ShloError(
            f"{str(attribute)[:80]} has no data",
            hint="the module was printed without its resources; export it again with them",
        )
    return bytes.fromhex(found[1])[4:]  # the first four bytes give the alignment
