"""Types of tensors, and constants to and from arrays; element types are ``element_types``'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from shlo_tools import mlir
from shlo_tools.dims import UNKNOWN as UNKNOWN
from shlo_tools.dims import Dim as Dim
from shlo_tools.dims import Size
from shlo_tools.element_types import ELEMENT_TYPES as ELEMENT_TYPES
from shlo_tools.element_types import QUANTIZED, UNIFORM, quantized
from shlo_tools.element_types import ElementType as ElementType
from shlo_tools.element_types import Kind as Kind
from shlo_tools.element_types import QuantizedElementType as QuantizedElementType
from shlo_tools.element_types import element_type as element_type
from shlo_tools.element_types import from_dtype as from_dtype
from shlo_tools.errors import ShloError


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

    @cached_property
    def storage_type(self) -> TensorType:
        """The type of the arrays that hold it: integers for quantized elements."""
        element = self.element_type
        if isinstance(element, QuantizedElementType):
            return self.with_element(element.storage)
        return self

    @cached_property
    def expressed_type(self) -> TensorType:
        """The type of the numbers that quantized elements stand for; itself for others."""
        element = self.element_type
        if isinstance(element, QuantizedElementType):
            return self.with_element(element.expressed)
        return self

    def with_shape(self, shape: Iterable[Dim]) -> TensorType:
        return TensorType(tuple(shape), self.element_type)

    def with_element(self, element: ElementType) -> TensorType:
        return replace(self, element_type=element)

    def mlir(self) -> mlir.Type:
        """The MLIR type in the current context."""
        shape = [d if isinstance(d, int) else mlir.DYNAMIC for d in self.shape]
        if any(d >= 1 << 63 for d in shape):
            raise ShloError(f"{self} has a size beyond 2^63 - 1")
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


_TENSOR = re.compile(
    r"(?:tensor|memref)<(?P<sizes>(?:(?:\d{1,40}|\?)x)*)"
    rf"(?P<element>[a-z][\w<>]*?|{UNIFORM})(?:, (?P<encoding>.*))?>$"
)
_BOUNDS = re.compile(r"#stablehlo\.bounds<([^>]*)>")


@lru_cache(maxsize=4096)
def parse_tensor_type(text: str) -> TensorType:
    """Read a tensor type from its MLIR spelling, or the short ``2x3xf32``.

    Raises:
        ShloError: it is no ranked tensor of a supported element type.
    """
    form = _TENSOR.match(text if "tensor<" in text or "memref<" in text else f"tensor<{text}>")
    if not form and QUANTIZED in text:
        raise ShloError(f"{text} is no tensor that is quantized per tensor or per axis")
    if not form:
        raise ShloError(f"{text!r} is no tensor type", hint="write it as tensor<2x3xf32>")
    dims = [d for d in form["sizes"].split("x") if d]
    bounds: tuple[int | None, ...] = ()
    encoding = _BOUNDS.search(form["encoding"] or "")
    if encoding:
        bounds = tuple(None if b.strip() == "?" else int(b) for b in encoding[1].split(","))
    shape = tuple(UNKNOWN if d == "?" else int(d) for d in dims)
    return TensorType(shape, element_type(form["element"]), bounds)


def holds_elements(text: str) -> bool:
    """Whether a tensor type, as it is spelled, holds what ops compute with: no dialect's own."""
    if "!" not in text:
        return True
    form = _TENSOR.match(text)
    return form is not None and quantized(form["element"]) is not None


def tensor_type(type: mlir.Type) -> TensorType:
    """An MLIR tensor (or memref) type as a TensorType; raises ShloError for any other."""
    return parse_tensor_type(mlir.spelling(type))


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


def from_attribute(attribute: Any) -> Array:
    """The values of a constant's attribute as a new array; of a number, one without dimensions.

    Raises:
        ShloError: the attribute holds no values (a resource without data), is no constant, or
            stands for more values than there is memory for.
    """
    type = tensor_type(attribute.type)
    element = type.element_type
    if mlir.is_number(attribute):
        return np.asarray(attribute.value).astype(element.dtype)
    if mlir.is_dense_resource(attribute):
        return _read(mlir_resource_bytes(attribute), type)
    if mlir.is_sparse(attribute):
        indices, values = map(from_attribute, mlir.sparse_parts(attribute))
        dense = np.zeros(type.static_shape, element.dtype)
        dense[tuple(indices.T)] = values
        return dense
    if not mlir.is_dense(attribute):
        raise ShloError(f"{attribute} is no dense constant")
    if mlir.is_splat(attribute):
        if type.nbytes > ADDRESSES:
            raise ShloError(
                f"a constant of {type} takes {type.nbytes:,} bytes: no machine has them"
            )
        one = splat_element(attribute)
        try:
            return np.full(type.static_shape, one, element.dtype)
        except MemoryError as error:
            raise ShloError(f"no memory for a constant of type {type}") from error
    return _read(mlir.dense_bytes(attribute, type.nbytes), type)


def splat_element(attribute: mlir.Attribute) -> Array:
    """The one element of a dense splat, as an array without dimensions."""
    dtype = tensor_type(attribute.type).element_type.dtype
    return np.frombuffer(mlir.dense_bytes(attribute, dtype.itemsize), dtype).reshape(()).copy()


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
    digits = re.search(rf'\b{key}"?: "0x([0-9A-Fa-f]*)"', text[text.rfind("{-#") :])
    if not digits or text.rfind("{-#") < 0:
        raise ShloError(
            f"{str(attribute)[:80]} has no data",
            hint="the module was printed without its resources: export it again with them; or they "
            "are in a file: --shlo-internalize-constants brings them back",
        )
    return bytes.fromhex(digits[1])[4:]  # the first four bytes give the alignment
