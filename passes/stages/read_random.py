"""Random numbers as nodes: the legalization's ciphers on vectors of counters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from shlo_tools import dtypes, ir
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.nodes import Node, NodeKind
from shlo_tools.codegen.stages.random import Bits, Layout
from shlo_tools.codegen.stages.reading.reader import Reader
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.mlir import Operation
from shlo_tools.ops.random import RngAlgorithm
from shlo_tools.passes.legalize_to_linalg.random import (
    as_element,
    number_of,
    philox_high,
    random_key,
    split_dimension,
)
from shlo_tools.passes.legalize_to_linalg.random.ciphers import (
    U64,
    advanced,
    joined,
    philox_words,
    threefry_words,
    words,
)
from shlo_tools.passes.stages.vectors import VectorEmit, as_held, as_number


def rng_bit_generator(op: Operation, operands: tuple[Node, ...]) -> Node:
    """A node of two results: the new state, and the bits."""
    type = dtypes.tensor_type(op.results[1].type)
    element, shape = type.element_type, type.static_shape
    is_threefry = RngAlgorithm[ir.enum_of(op, "rng_algorithm")] is RngAlgorithm.THREE_FRY
    layout = _layout(shape, element.bits, is_threefry=is_threefry)
    is_halved = operands[0].element.bits == 32

    def state(e: Any, elements: Sequence[Value]) -> list[Any]:
        if not is_halved:
            return list(elements)
        pairs = zip(elements[::2], elements[1::2], strict=True)
        return [joined(e, low, high) for low, high in pairs]  # type: ignore[arg-type]

    def key(reader: Reader, elements: Sequence[Value]) -> list[Any]:
        e = VectorEmit(op, reader)
        parts = state(e, elements)
        return [*words(e, parts[0]), parts[1], philox_high(parts)]

    def cipher(reader: Reader, key: Sequence[Any], number: Any) -> list[Value]:
        e = VectorEmit(op, reader)
        low, high, *start = key
        if is_threefry:
            values = threefry_words(e, (low, high), start[0], number, element.bits)
        else:
            values = philox_words(e, (low, high), (start[0], start[1]), number, element.bits)
        results: list[Any] = [as_element(e, value, element) for value in values]
        return [as_held(value) for value in results]

    def next_state(reader: Reader, elements: Sequence[Value]) -> list[Any]:
        e = VectorEmit(op, reader)
        parts = advanced(e, state(e, elements), e.constant(layout.counters, U64))  # type: ignore[arg-type]
        return [half for part in parts for half in words(e, part)] if is_halved else parts

    attributes = Bits(layout, key, cipher, next_state)
    return Node(NodeKind.RNG_BIT_GENERATOR, shape, element, operands, attributes=attributes)


def _layout(shape: Sequence[int], bits: int, *, is_threefry: bool) -> Layout:
    """Philox fills a result in order, and so does Threefry with words of 64 bits."""
    if is_threefry and bits <= 32:
        shape = shape or (1,)
        axis = split_dimension(shape)
        return Layout(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]), 2)
    count = 1 if is_threefry else 2 if bits > 32 else 4
    return Layout(1, math.prod(shape), 1, count)


def rng(op: Operation, operands: tuple[Node, ...]) -> Node:
    """Elements made of their places."""
    type = dtypes.tensor_type(op.results[0].type)
    element, shape = type.element_type, type.static_shape

    def place(reader: Reader, values: Sequence[Value]) -> Value:
        return values[0]

    def rule(reader: Reader, values: Sequence[Value]) -> Value:
        e = VectorEmit(op, reader)
        position: Any = values[0]
        low: Any = as_number(values[1], element)
        high: Any = as_number(values[2], element)
        number: Any = number_of(e, position, low, high, random_key(e))
        return as_held(number)

    count = math.prod(shape)
    places = Node(NodeKind.IOTA, (count,), ELEMENT_TYPES["i64"], dimensions=(0,), rule=place)
    placed = Node(NodeKind.RESHAPE, shape, ELEMENT_TYPES["i64"], (places,))
    return Node(NodeKind.ELEMENTWISE, shape, element, (placed, *operands[:2]), rule=rule)
