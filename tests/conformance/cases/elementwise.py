"""Elementwise ops: edges against edges, and every kind of shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cases._case import Array, Case, Input, Row, call, given
from cases._inputs import at_edges, edges, filled, moderate, pairs
from cases._tolerances import EXACT, Steps, Tolerance, Ulps
from cases._types import (
    ALL,
    FLOAT,
    FLOAT_OR_COMPLEX,
    INTEGER,
    LOGICAL,
    NUMBER,
    PER_AXIS,
    QUANTIZED,
    SIGNED,
    SIGNED_NUMBER,
    TENSOR,
    WIDE_FLOAT,
    is_complex,
    is_quantized,
    part_of,
    tensor,
)

# Scalars, nothing, one, odd sizes, more than a vector holds, six dimensions.
SHAPES = ((), (0,), (3, 0), (1,), (3, 5), (5, 67), (2, 1, 3, 1, 2, 3))


# --- how near -------------------------------------------------------------------------------------
def correctly_rounded(element: str) -> Tolerance:
    """Arithmetic of reals is exact up to one rounding; a complex product has several."""
    return Ulps(4, special=False) if is_complex(element) else EXACT


def function(element: str) -> Tolerance:
    """Functions of the mathematical library."""
    if is_quantized(element):
        return Steps(1)
    if is_complex(element):
        return Ulps(8, special=False)
    return Ulps({"f32": 3, "f64": 3}.get(element, 1), strict=False)


def exact(element: str) -> Tolerance:
    return EXACT


def chosen(element: str) -> Tolerance:
    """Which of two equal complex numbers is the larger (0 and -0) is not told."""
    return Ulps(0, strict=False) if is_complex(element) else EXACT


def angle(element: str) -> Tolerance:
    """Complex atan2 is a logarithm: near 0 it is no more exact than near pi."""
    return (
        Ulps(8, floor=8 * eps(element), special=False) if is_complex(element) else function(element)
    )


def eps(element: str) -> float:
    return {"complex<f32>": 2.0**-23, "complex<f64>": 2.0**-52}[element]


Near = Callable[[str], Tolerance]


# --- ops whose result is like their operands ------------------------------------------------------
def _operands(op: str, element: str, count: int, shape: Sequence[int] | None) -> list[Array]:
    """All pairs of edges where no shape is given."""
    if op == "stablehlo.atan2" and is_complex(element):  # edges lie on its branch cuts
        return [moderate(element, (67,) if shape is None else shape, seed) for seed in (1, 2)]
    if shape is None:
        if count == 1:
            return [edges(element)]
        return list(pairs(element)) + (
            [filled(edges(element), pairs(element)[0].shape)] * (count - 2)
        )
    return [at_edges(element, shape, seed) for seed in range(count)]


def _shapes(element: str) -> Iterator[tuple[int, ...] | None]:
    """The fast slice takes the first: every edge, of two operands every pair."""
    if element in PER_AXIS:
        yield from ((3, 5), (1,), (5, 67))
        return
    yield None
    yield from SHAPES


def like_operands(
    op: str, count: int, near: Near, attributes: str = ""
) -> Callable[..., Iterator[Case]]:
    """Cases of an op whose result has the type of its operands."""

    def build(element: str) -> Iterator[Case]:
        for shape in _shapes(element):
            inputs = [given(element, a) for a in _operands(op, element, count, shape)]
            yield call(op, inputs, [inputs[0].type], attributes, tolerance=near(element))

    return build


@dataclass(frozen=True)
class Like:
    """An op whose result is like its operands."""

    elements: tuple[str, ...]
    near: Near = exact


UNARY = {
    "cbrt": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "ceil": Like(FLOAT + QUANTIZED),
    "cosine": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "count_leading_zeros": Like(INTEGER),
    "exponential": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "exponential_minus_one": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "floor": Like(FLOAT + QUANTIZED),
    "log": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "log_plus_one": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "logistic": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "negate": Like(NUMBER + QUANTIZED),
    "not": Like(LOGICAL),
    "popcnt": Like(INTEGER),
    "round_nearest_afz": Like(FLOAT + QUANTIZED),
    "round_nearest_even": Like(FLOAT + QUANTIZED),
    "rsqrt": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "sign": Like(SIGNED_NUMBER + QUANTIZED, correctly_rounded),
    "sine": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "sqrt": Like(FLOAT_OR_COMPLEX + QUANTIZED, correctly_rounded),
    "tan": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
    "tanh": Like(FLOAT_OR_COMPLEX + QUANTIZED, function),
}
BINARY = {
    "add": Like(ALL, correctly_rounded),
    "and": Like(LOGICAL),
    "atan2": Like(FLOAT_OR_COMPLEX + QUANTIZED, angle),
    "divide": Like(NUMBER + QUANTIZED, correctly_rounded),
    "maximum": Like(TENSOR + QUANTIZED, chosen),
    "minimum": Like(TENSOR + QUANTIZED, chosen),
    "multiply": Like(TENSOR + QUANTIZED, correctly_rounded),
    "or": Like(LOGICAL),
    "power": Like(NUMBER + QUANTIZED, function),
    "shift_left": Like(INTEGER),
    "shift_right_arithmetic": Like(INTEGER),
    "shift_right_logical": Like(INTEGER),
    "subtract": Like(NUMBER + QUANTIZED, correctly_rounded),
    "xor": Like(LOGICAL),
}


# --- ops with types or attributes of their own ----------------------------------------------------
def _part(op: str) -> Callable[[str], Iterator[Case]]:
    """abs, real and imag: of a complex number a real one."""

    def build(element: str) -> Iterator[Case]:
        near = Ulps(2, strict=False) if op == "abs" and is_complex(element) else EXACT
        for shape in _shapes(element):
            (array,) = _operands(op, element, 1, shape)
            result = tensor(part_of(element), array.shape)
            yield call(f"stablehlo.{op}", [given(element, array)], [result], tolerance=near)

    return build


def _is_finite(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        (array,) = _operands("is_finite", element, 1, shape)
        yield call("stablehlo.is_finite", [given(element, array)], [tensor("i1", array.shape)])


def _complex(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        inputs = [given(element, array) for array in _operands("complex", element, 2, shape)]
        yield call(
            "stablehlo.complex", inputs, [tensor(f"complex<{element}>", inputs[0].array.shape)]
        )


DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")


def _comparison_types(element: str) -> tuple[str, ...]:
    if element in FLOAT:
        return ("", "FLOAT", "TOTALORDER")
    if is_quantized(element):
        return ("",)
    if is_complex(element):
        return ("", "FLOAT")
    return ("", "SIGNED" if element in SIGNED else "UNSIGNED")


def compare_attributes(direction: str, type: str = "") -> str:
    attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    return attributes + (f", compare_type = #stablehlo<comparison_type {type}>" if type else "")


def _compare(element: str) -> Iterator[Case]:
    for type in _comparison_types(element):
        for direction in DIRECTIONS:
            inputs = [given(element, array) for array in pairs(element)]
            result = tensor("i1", inputs[0].array.shape)
            yield call("stablehlo.compare", inputs, [result], compare_attributes(direction, type))
    for shape in SHAPES:
        inputs = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
        yield call("stablehlo.compare", inputs, [tensor("i1", shape)], compare_attributes("LT"))


def _clamp(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        inputs = [given(element, array) for array in _operands("clamp", element, 3, shape)]
        yield call("stablehlo.clamp", inputs, [inputs[0].type], tolerance=chosen(element))
    for bounds in (((), ()), ((), (9,)), ((9,), ())):
        ends = [at_edges(element, bound, seed) for seed, bound in enumerate(bounds)]
        inputs = [given(element, a) for a in (ends[0], at_edges(element, (9,), 5), ends[1])]
        yield call(
            "stablehlo.clamp",
            inputs,
            [inputs[1].type],
            label=f"bounds {bounds}",
            tolerance=chosen(element),
        )


def _select(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        first, second = _operands("select", element, 2, shape)
        pred = np.random.default_rng(1).random(first.shape) < 0.5
        inputs = [
            Input(tensor("i1", pred.shape), pred),
            given(element, first),
            given(element, second),
        ]
        yield call("stablehlo.select", inputs, [inputs[1].type])
        inputs[0] = Input("tensor<i1>", np.array(True))
        yield call("stablehlo.select", inputs, [inputs[1].type], label="scalar pred")


def _reduce_precision(element: str) -> Iterator[Case]:
    formats = ((5, 10), (8, 7), (2, 1), (1, 3), (4, 0), (11, 52), (8, 23), (3, 30))
    for exponent, mantissa in formats:
        attributes = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
        operand = given(element, edges(element))
        yield call("stablehlo.reduce_precision", [operand], [operand.type], attributes)
    for shape in SHAPES:
        operand = given(element, at_edges(element, shape))
        attributes = "exponent_bits = 5 : i32, mantissa_bits = 2 : i32"
        yield call("stablehlo.reduce_precision", [operand], [operand.type], attributes)


def _convert(element: str) -> Iterator[Case]:
    """To every type: in one fast case all of them."""
    first = "i32" if element != "i32" else "f32"
    for target in (first, *(t for t in TENSOR if t != first)):
        array = edges(element)
        label = f"{element} to {target}"
        yield call(
            "stablehlo.convert", [given(element, array)], [tensor(target, array.shape)], label=label
        )
    for shape in SHAPES:
        operand = given(element, at_edges(element, shape))
        yield call("stablehlo.convert", [operand], [tensor("f64", shape)])


NO_REMAINDER = "the specification leaves the remainder of complex numbers open"


def _remainder(element: str) -> Iterator[Case]:
    for case in like_operands("stablehlo.remainder", 2, exact)(element):
        yield replace(case, undefined=NO_REMAINDER) if is_complex(element) else case


def _rows() -> Iterator[Row]:
    for name, like in UNARY.items():
        op = f"stablehlo.{name}"
        yield Row(op, like.elements, like_operands(op, 1, like.near))
    for name, like in BINARY.items():
        op = f"stablehlo.{name}"
        yield Row(op, like.elements, like_operands(op, 2, like.near))
    yield Row("stablehlo.abs", SIGNED_NUMBER + QUANTIZED, _part("abs"))
    yield Row("stablehlo.remainder", NUMBER + QUANTIZED, _remainder)
    yield Row("stablehlo.real", FLOAT_OR_COMPLEX, _part("real"))
    yield Row("stablehlo.imag", FLOAT_OR_COMPLEX, _part("imag"))
    yield Row("stablehlo.is_finite", FLOAT + QUANTIZED, _is_finite)
    yield Row("stablehlo.complex", WIDE_FLOAT, _complex)
    yield Row("stablehlo.compare", TENSOR + QUANTIZED, _compare)
    yield Row("stablehlo.clamp", TENSOR + QUANTIZED, _clamp)
    yield Row("stablehlo.select", TENSOR + QUANTIZED, _select)
    yield Row("stablehlo.reduce_precision", FLOAT + QUANTIZED, _reduce_precision)
    yield Row("stablehlo.convert", TENSOR, _convert)


ROWS = tuple(_rows())
