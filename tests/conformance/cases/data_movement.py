"""Ops that move elements and compute nothing: every bit pattern stays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from cases._case import Case, Row, call, given
from cases._inputs import at_edges, edges
from cases._regions import integers
from cases._types import (
    ALL,
    COMPLEX,
    FLOAT,
    INTEGER,
    PER_AXIS,
    QUANTIZED,
    TENSOR,
    is_quantized,
    tensor,
)
from shlo_tools.dtypes import ELEMENT_TYPES

PER_TENSOR = TENSOR + QUANTIZED


def _possible(element: str, *shapes: Sequence[int]) -> bool:
    """Per axis there must be a last dimension with something in it."""
    return element not in PER_AXIS or all(shape and shape[-1] for shape in shapes)


# operand, broadcast_dimensions, result: unsorted dimensions transpose.
BROADCASTS = (
    ((1, 3), (2, 1), (2, 3, 2)),
    ((), (), ()),
    ((), (), (3, 37)),
    ((3,), (0,), (3, 5)),
    ((5,), (1,), (3, 5)),
    ((1,), (1,), (2, 0)),
    ((0,), (0,), (0, 4)),
    ((3, 1, 2), (0, 2, 4), (3, 4, 7, 1, 2)),
    ((2, 3), (1, 0), (3, 2)),
)


def _broadcast_in_dim(element: str) -> Iterator[Case]:
    for shape, dimensions, result in BROADCASTS:
        if element in PER_AXIS:
            continue
        operand = given(element, at_edges(element, shape))
        attributes = f"broadcast_dimensions = {integers(dimensions)}"
        yield call("stablehlo.broadcast_in_dim", [operand], [tensor(element, result)], attributes)
    if element in PER_AXIS:  # the quantized dimension moves along
        for shape, dimensions, result in (((2, 3), (1, 2), (4, 2, 3)), ((3,), (1,), (2, 3, 5))):
            axis = dimensions[-1]
            operand = given(element, at_edges(element, shape))
            attributes = f"broadcast_dimensions = {integers(dimensions)}"
            yield call(
                "stablehlo.broadcast_in_dim", [operand], [tensor(element, result, axis)], attributes
            )


RESHAPES = (
    ((2, 6), (3, 4)),
    ((), ()),
    ((1, 1), ()),
    ((), (1, 1, 1)),
    ((3, 0), (0, 7)),
    ((5, 67), (67, 5)),
    ((2, 3, 1, 2, 1, 2), (24,)),
)


def _reshape(element: str) -> Iterator[Case]:
    if element in PER_AXIS:
        operand = given(element, at_edges(element, (2, 4, 3)))
        yield call("stablehlo.reshape", [operand], [tensor(element, (8, 3))])
        return
    for shape, result in RESHAPES:
        operand = given(element, at_edges(element, shape))
        yield call("stablehlo.reshape", [operand], [tensor(element, result)])


TRANSPOSES = (
    ((2, 3), (1, 0)),
    ((), ()),
    ((4,), (0,)),
    ((2, 0, 3), (2, 0, 1)),
    ((35, 67), (1, 0)),
    ((3, 4, 5), (2, 1, 0)),
    ((3, 4, 5), (0, 2, 1)),
    ((2, 1, 3, 1, 2, 3), (5, 3, 0, 1, 4, 2)),
)


def _transpose(element: str) -> Iterator[Case]:
    for shape, permutation in TRANSPOSES:
        if not _possible(element, shape):
            continue
        operand = given(element, at_edges(element, shape))
        result = [shape[p] for p in permutation]
        axis = permutation.index(len(shape) - 1) if shape else None
        type = tensor(element, result, axis)
        yield call(
            "stablehlo.transpose", [operand], [type], f"permutation = {integers(permutation)}"
        )


REVERSES = (
    ((2, 5), (1,)),
    ((), ()),
    ((3, 0), (0, 1)),
    ((67,), (0,)),
    ((2, 3, 4), (0, 2)),
    ((4, 3), ()),
)


def _reverse(element: str) -> Iterator[Case]:
    for shape, dimensions in REVERSES:
        operand = given(element, at_edges(element, shape))
        attributes = f"dimensions = {integers(dimensions)}"
        yield call("stablehlo.reverse", [operand], [operand.type], attributes)


# operand, start, limit, strides
SLICES = (
    ((3, 7), (1, 2), (3, 7), (1, 2)),
    ((), (), (), ()),
    ((5,), (2,), (2,), (1,)),
    ((0, 4), (0, 1), (0, 3), (1, 1)),
    ((100,), (1,), (99,), (3,)),
    ((5, 67), (0, 1), (5, 66), (2, 1)),
    ((2, 1, 3, 1, 2, 3), (0, 0, 1, 0, 1, 0), (2, 1, 3, 1, 2, 3), (1, 1, 2, 1, 1, 2)),
    ((4,), (0,), (4,), (9,)),
)


def _slice(element: str) -> Iterator[Case]:
    for shape, start, limit, strides in SLICES:
        operand = given(element, at_edges(element, shape))
        rows = zip(start, limit, strides, strict=True)
        result = [math.ceil((high - low) / step) for low, high, step in rows]
        attributes = f"start_indices = {integers(start)}, limit_indices = {integers(limit)}, "
        attributes += f"strides = {integers(strides)}"
        yield call("stablehlo.slice", [operand], [tensor(element, result)], attributes)


# operand, low, high, interior
PADS = (
    ((2, 3), (1, 0), (0, 2), (0, 1)),
    ((), (), (), ()),
    ((4,), (-1,), (-2,), (0,)),
    ((4,), (-2,), (-2,), (0,)),
    ((3,), (-1,), (2,), (2,)),
    ((0,), (2,), (1,), (3,)),
    ((1, 3), (2, 1), (-1, 0), (4, 0)),
    ((5, 67), (1, 1), (1, 1), (0, 0)),
    ((2, 1, 3, 1, 2, 3), (0, 1, 0, 1, 0, 1), (1, 0, -1, 0, 0, 0), (0, 0, 1, 0, 0, 0)),
)


def pad_result(
    shape: Sequence[int], low: Sequence[int], high: Sequence[int], interior: Sequence[int]
) -> list[int]:
    rows = zip(shape, low, high, interior, strict=True)
    return [n + lo + max(n - 1, 0) * inside + hi for n, lo, hi, inside in rows]


def _pad(element: str) -> Iterator[Case]:
    for shape, low, high, interior in PADS:
        inputs = [
            given(element, at_edges(element, shape)),
            given(element, at_edges(element, (), 9)),
        ]
        result = tensor(element, pad_result(shape, low, high, interior))
        attributes = f"edge_padding_low = {integers(low)}, edge_padding_high = {integers(high)}, "
        attributes += f"interior_padding = {integers(interior)}"
        yield call("stablehlo.pad", inputs, [result], attributes)


CONCATENATIONS = (
    (((2, 3), (2, 1)), 1),
    (((3,),), 0),
    (((3,), (0,), (2,)), 0),
    (((2, 0), (2, 0)), 0),
    (((1, 67), (3, 67), (2, 67)), 0),
    (((2, 1, 3), (2, 4, 3)), 1),
    (((2, 1, 1, 1, 2, 3), (2, 1, 1, 1, 2, 2)), 5),
)


def _concatenate(element: str) -> Iterator[Case]:
    for shapes, dimension in CONCATENATIONS:
        inputs = [given(element, at_edges(element, s, seed)) for seed, s in enumerate(shapes)]
        result = list(shapes[0])
        result[dimension] = sum(shape[dimension] for shape in shapes)
        attributes = f"dimension = {dimension} : i64"
        yield call("stablehlo.concatenate", inputs, [tensor(element, result)], attributes)


IOTAS = (
    ((5,), 0),
    ((3, 20), 1),
    ((3, 20), 0),
    ((0,), 0),
    ((1, 1), 1),
    ((300,), 0),
    ((2, 1, 3, 1, 2, 3), 2),
)


def _iota(element: str) -> Iterator[Case]:
    for shape, dimension in IOTAS:
        attributes = f"iota_dimension = {dimension} : i64"
        label = f"{tensor(element, shape)} along {dimension}"
        yield call("stablehlo.iota", [], [tensor(element, shape)], attributes, label=label)


# --- constants and bits ---------------------------------------------------------------------------
def literal(element: str, array: np.ndarray) -> str:
    """``dense<"0x...">``, or a list of integers where elements are not whole bytes."""
    if is_quantized(element):
        return f"dense<{array.tolist() if array.size else ''}>"
    row = ELEMENT_TYPES[element]
    if not array.size:
        return "dense<>"
    if row.bits >= 8:
        return f'dense<"0x{array.tobytes().hex()}">'
    if element in FLOAT:
        bits = array.view(np.uint8) & ((1 << row.bits) - 1)
        listed = [f"0x{b:X}" for b in bits.reshape(-1).tolist()]
        return f"dense<{', '.join(listed) if not array.ndim else '[' + ', '.join(listed) + ']'}>"
    return (
        f"dense<{str(array.astype(int).tolist() if element != 'i1' else array.tolist()).lower()}>"
    )


def _constant(element: str) -> Iterator[Case]:
    values = edges(element)[:64]
    for array in (values, values[:1].reshape(()), np.repeat(values[-1:], 70), values[:0]):
        if element in PER_AXIS and not (array.ndim and array.size):
            continue
        type = tensor(element, array.shape)
        stored = (
            f"tensor<{''.join(f'{n}x' for n in array.shape)}i8>" if is_quantized(element) else type
        )
        attributes = f"value = {literal(element, array)} : {stored}"
        yield call("stablehlo.constant", [], [type], attributes, label=type)


def _bitcast_convert(element: str) -> Iterator[Case]:
    if is_quantized(element):
        operand = given(element, at_edges(element, (2, 3)))
        yield call("stablehlo.bitcast_convert", [operand], [operand.type])
        if element in QUANTIZED:
            yield call("stablehlo.bitcast_convert", [operand], ["tensor<2x3xi8>"])
        return
    own = ELEMENT_TYPES[element]
    for target in (element, *(t for t in TENSOR if t != element)):
        row = ELEMENT_TYPES[target]
        if (element in COMPLEX) != (target in COMPLEX):  # (C2)
            continue
        shapes = _regrouped(own.bits, row.bits)
        if shapes is None:
            continue
        operand = given(element, at_edges(element, shapes[0]))
        label = f"{operand.type} to {target}"
        yield call("stablehlo.bitcast_convert", [operand], [tensor(target, shapes[1])], label=label)


def _regrouped(old: int, new: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Shapes before and after; None where the wider width is no multiple."""
    if old == new:
        return (3, 5), (3, 5)
    if old % new == 0:
        return (3, 5), (3, 5, old // new)
    return ((3, 5, new // old), (3, 5)) if new % old == 0 else None


ROWS = (
    Row("stablehlo.bitcast_convert", ALL, _bitcast_convert),
    Row("stablehlo.broadcast_in_dim", ALL, _broadcast_in_dim),
    Row("stablehlo.concatenate", PER_TENSOR, _concatenate),
    Row("stablehlo.constant", ALL, _constant),
    Row("stablehlo.iota", INTEGER + FLOAT + COMPLEX + QUANTIZED, _iota),
    Row("stablehlo.pad", PER_TENSOR, _pad),
    Row("stablehlo.reshape", ALL, _reshape),
    Row("stablehlo.reverse", PER_TENSOR, _reverse),
    Row("stablehlo.slice", PER_TENSOR, _slice),
    Row("stablehlo.transpose", ALL, _transpose),
)
