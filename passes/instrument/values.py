"""What of a value a host can be given: tensors of plain elements, its *leaves*.

A quantized tensor has its integers as leaf, one of indices the same as i64, a tuple those of its
parts, a token none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Kind, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.ir import Build
from shlo_tools.mlir import Type, Value
from shlo_tools.quantized_types import is_quantized
from shlo_tools.types import array_type

_WIDE = dtypes.element_type("i64")


@dataclass(frozen=True)
class Leaf:
    """A plain tensor, and the type that the program gives what it stands for."""

    value: Value
    type: str


def leaves(build: Build, value: Value) -> list[Leaf]:
    """A value's leaves; ops that unpack it are inserted where needed."""
    text = str(value.type)
    if mlir.is_tuple(value.type):
        members = enumerate(mlir.members(value.type))
        parts = [_part(build, value, number, type) for number, type in members]
        return [leaf for part in parts for leaf in leaves(build, part)]
    plain = plain_type(text)
    if plain is None:
        return []
    if is_quantized(text):
        bits = build.value("stablehlo.bitcast_convert", [value], plain.mlir())
        return [Leaf(bits, text)]
    if _holds_indices(text):
        return [Leaf(build.value("arith.index_cast", [value], plain.mlir()), text)]
    return [Leaf(value, text)]


def _holds_indices(text: str) -> bool:
    return text.endswith(("<index>", "xindex>"))


def _part(build: Build, value: Value, number: int, type: Type) -> Value:
    index = {"index": mlir.integer_attr(number, mlir.integer_type(32))}
    return build.value("stablehlo.get_tuple_element", [value], type, index)


def plain_type(text: str) -> TensorType | None:
    """The type of a leaf that stands for a tensor of type ``text``; None where it has none."""
    if not text.startswith("tensor<"):
        return None
    try:
        type = array_type(text)
        return type.with_element(_WIDE) if type.element_type.kind is Kind.INDEX else type
    except ShloError:  # a type of some other dialect: no host knows its elements
        return None


def rebuilt(build: Build, type: Type, parts_left: Iterator[Value]) -> Value:
    """A value of ``type`` from its leaves: the way back from ``leaves``.

    Raises:
        ShloError: no value of that type can be made.
    """
    text = str(type)
    if text == "!stablehlo.token":
        return build.value("stablehlo.after_all", [], type)
    if mlir.is_tuple(type):
        parts = [rebuilt(build, member, parts_left) for member in mlir.members(type)]
        return build.value("stablehlo.tuple", parts, type)
    if plain_type(text) is None:
        raise ShloError(f"a value of type {text} cannot be made from arrays")
    leaf = next(parts_left)
    if is_quantized(text):
        return build.value("stablehlo.bitcast_convert", [leaf], type)
    return build.value("arith.index_cast", [leaf], type) if _holds_indices(text) else leaf


_TENSORS = re.compile(r"tensor<[^<>]*(?:<[^<>]*(?:<[^<>]*>)?[^<>]*>)?[^<>]*>")


def is_floating(text: str) -> bool:
    """Whether a type is, or a tuple holds, a tensor of floats or complex numbers."""
    types = [plain_type(tensor) for tensor in _TENSORS.findall(text)]
    kinds = {type.element_type.kind for type in types if type is not None}
    return bool(kinds & {Kind.FLOAT, Kind.COMPLEX})
