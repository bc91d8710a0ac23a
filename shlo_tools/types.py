"""What an op function sees of its operands: types always, an SSA value while a program is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dims import Size, Unknown
from shlo_tools.dtypes import Dim, ElementType, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.operators import Operators
from shlo_tools.text import guards


@dataclass(frozen=True)
class TokenType:
    """``!stablehlo.token``: orders side effects."""

    def mlir(self) -> mlir.Type:
        return mlir.parse_type(str(self))

    def __str__(self) -> str:
        return "!stablehlo.token"


@dataclass(frozen=True)
class TupleType:
    """``tuple<...>``."""

    members: tuple[ValueType, ...]

    def mlir(self) -> mlir.Type:
        return mlir.parse_type(str(self))

    def __str__(self) -> str:
        return f"tuple<{', '.join(str(member) for member in self.members)}>"


@dataclass(frozen=True)
class OtherType:
    """A type that no rule computes with (future, buffer, scales of blocks): its spelling."""

    text: str

    def mlir(self) -> mlir.Type:
        return mlir.parse_type(self.text)

    def __str__(self) -> str:
        return self.text


ValueType = TensorType | TokenType | TupleType | OtherType


class Value:
    """Any SSA value: its type, and the value itself while a program is being built."""

    def __init__(self, type: ValueType, value: mlir.Value | None = None) -> None:
        self.type: ValueType = type
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.type})"


CONTENTS_LIMIT = 64  # more elements than these are not followed

Operator: TypeAlias = "Callable[..., Tensor]"

# What operators build, by the names of ``Operators``. ``ops``, which needs these types, fills it.
OPERATORS: dict[str, Operator] = {}


class Tensor(Value, Operators[Any]):
    """A tensor. Operators build ops: ``a + b`` is ``ops.add(a, b)``, ``a[1:]`` is a slice."""

    type: TensorType
    __array_ufunc__ = None  # numpy leaves `array * tensor` to the tensor

    def __init__(
        self,
        type: TensorType,
        value: mlir.Value | None = None,
        contents: Sequence[Dim] | None = None,
    ) -> None:
        super().__init__(type, value)
        self._contents = contents

    @property
    def contents(self) -> Sequence[Dim] | None:
        """The elements in row-major order, where they are sizes that somebody knows."""
        return self._contents

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.type.shape

    @property
    def rank(self) -> int:
        return len(self.type.shape)

    @property
    def element_type(self) -> ElementType:
        return self.type.element_type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the arrays that hold it: of its integers where it is quantized."""
        return self.type.element_type.dtype

    def like(
        self, *, shape: Iterable[Dim] | None = None, element_type: ElementType | str | None = None
    ) -> Tensor:
        """The same type with another shape or element type, and no value."""
        if isinstance(element_type, str):
            element_type = dtypes.element_type(element_type)
        new_shape = self.type.shape if shape is None else tuple(shape)
        return Tensor(TensorType(new_shape, element_type or self.type.element_type))

    def operate(self, name: str, *operands: Any) -> Tensor:
        """Build what an operator stands for."""
        return OPERATORS[name](*operands)

    def __getitem__(self, index: Any) -> Tensor:
        return self.operate("index", self, index)

    # Else Python would ask for element after element, and compare each.
    __iter__ = None
    __contains__ = None


Scalar = Annotated[Tensor, "0-dimensional"]

# What a rule calls a region with, and gets from it. As a builder's argument this is any function
# from tensors to tensors; while types are inferred it stands for a region that exists.
Region = Callable[..., tuple[Tensor, ...]]


def value_type(type: mlir.Type) -> ValueType:
    """An MLIR type as a rule sees it."""
    if mlir.is_tuple(type):
        return TupleType(tuple(map(value_type, mlir.members(type))))
    text = mlir.spelling(type)
    if text == "!stablehlo.token":
        return TokenType()
    if text.startswith("tensor<") and dtypes.holds_elements(text):
        return dtypes.parse_tensor_type(text)
    return OtherType(text)


def array_type(type: ValueType | str) -> TensorType:
    """The type of the arrays that hold values of a type: integers for quantized elements.

    A number outside tensors, such as an ``index``, is held by an array without dimensions.

    Raises:
        ShloError: no array holds such a value.
    """
    tensor = type if isinstance(type, TensorType) else dtypes.parse_tensor_type(str(type))
    return tensor.storage_type


def as_value(type: ValueType, value: mlir.Value | None = None) -> Value:
    return Tensor(type, value) if isinstance(type, TensorType) else Value(type, value)


def of_value(value: mlir.Value) -> Value:
    """An existing SSA value, for a builder."""
    return as_value(value_type(value.type), value)


def ssa(value: Value) -> mlir.Value:
    """The SSA value that stands behind a Value.

    Raises:
        ShloError: there is none, since it is the type of one.
    """
    if value.value is None:
        raise ShloError(f"{value} is a type without a value; operands must come from built ops")
    return value.value


def _readable(text: str) -> str:
    """The spelling of a type that MLIR reads; raises ShloError for any other."""
    guards.require_harmless(text, "type")
    try:
        mlir.parse_type(text)
    except mlir.MLIRError as error:
        raise ShloError(f"{text!r} is no type: {error}") from error
    return text


def coerce_type(type: Any, operand: Tensor | None) -> ValueType:
    """A result type as people write it: a TensorType, ``"2x3xf32"``, or a shape alone.

    A shape alone takes the element type of the first operand.
    """
    if isinstance(type, OtherType):
        return OtherType(_readable(type.text))
    if isinstance(type, TensorType | TokenType | TupleType | OtherType):
        return type
    if isinstance(type, str):
        if type.startswith(("!", "tuple<")):
            return value_type(mlir.parse_type(_readable(type)))
        return dtypes.parse_tensor_type(type)
    if isinstance(type, Sequence) and operand is not None:
        sizes = [dim for dim in type if isinstance(dim, int | Size | Unknown)]
        if len(sizes) == len(type):
            if any(isinstance(dim, int) and dim.bit_length() > 63 for dim in sizes):
                raise ShloError("a result type has a size beyond 2^63 - 1")
            return operand.type.with_shape(sizes)
    raise ShloError(f"{type!r} is no result type", hint='write it as "2x3xf32"')


def constant_of(array: dtypes.Array, element: ElementType | None = None) -> Tensor:
    """Build ``stablehlo.constant`` with the values of an array."""
    build = ir.insertion()  # first: without it there may be no context to make types in
    element = element or dtypes.from_dtype(array.dtype)
    type = TensorType(tuple(array.shape), element)
    attribute = dtypes.to_attribute(array, element)
    value = build.value("stablehlo.constant", (), type.mlir(), {"value": attribute})
    return Tensor(type, value)
