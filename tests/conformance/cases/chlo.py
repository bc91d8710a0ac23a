"""CHLO: functions, broadcasting forms, top_k, scan, ragged_dot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from cases import elementwise
from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges, edges, moderate, small
from cases._tolerances import EXACT, Tolerance, Ulps
from cases._types import (
    ALL,
    COMPLEX,
    FLOAT,
    FLOAT_OR_COMPLEX,
    INTEGER,
    LOGICAL,
    NUMBER,
    PER_AXIS,
    QUANTIZED,
    TENSOR,
    WIDE_FLOAT,
    dtype_of,
    is_complex,
    tensor,
)
from cases.contraction import accumulating

# Floors are where a function crosses zero: results are small differences of larger numbers.
ULPS = {"f32": 5.0, "f64": 16.0}
FLOORS = {"f32": 4e-6, "f64": 4e-14}


def function(element: str) -> Tolerance:
    if is_complex(element):
        return Ulps(12, special=False)
    return Ulps(ULPS.get(element, 1), FLOORS.get(element, 0), strict=False)


def _difference(element: str) -> Tolerance:
    """The kernel subtracts numbers of the operand's size."""
    return Ulps(12, floor=8 * elementwise.eps(element), special=False)


def _same(element: str) -> Tolerance:
    return EXACT


UNARY = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "sinh", "tan"),
    *("digamma", "erf", "erf_inv", "erfc", "lgamma"),
)
NO_COMPLEX_BESSEL = "neither JAX nor XLA has a form for complex numbers"
REAL_ONLY = ("digamma", "erf", "erf_inv", "erfc", "lgamma")


def _unary(op: str) -> Callable[[str], Iterator[Case]]:
    near = {"conj": _same, "_asin_acos_kernel": _difference}.get(op, function)
    result = elementwise.like_operands(f"chlo.{op}", 1, near)

    def build(element: str) -> Iterator[Case]:
        undefined = NO_COMPLEX_BESSEL if op == "bessel_i1e" and is_complex(element) else ""
        yield from (replace(case, undefined=undefined) for case in result(element))

    return build


def _square(element: str) -> Iterator[Case]:
    yield from elementwise.like_operands("chlo.square", 1, elementwise.correctly_rounded)(element)


def _is_inf(op: str) -> Callable[[str], Iterator[Case]]:
    def build(element: str) -> Iterator[Case]:
        for array in (edges(element), *(at_edges(element, shape) for shape in elementwise.SHAPES)):
            yield call(op, [given(element, array)], [tensor("i1", array.shape)])

    return build


def _two_floats(op: str) -> Callable[[str], Iterator[Case]]:
    """polygamma of small whole orders, zeta of moderate arguments."""

    def build(element: str) -> Iterator[Case]:
        for shape in ((37,), (), (0,), (3, 5), (2, 1, 3, 1, 2, 3)):
            first = np.abs(small(element, shape, 1, 3).astype(np.float64))
            first = first + 2 if op.endswith("zeta") else first
            second = np.abs(moderate(element, shape, 2).astype(np.float64)) + 0.5
            inputs = [given(element, a.astype(dtype_of(element))) for a in (first, second)]
            yield call(op, inputs, [inputs[0].type], tolerance=function(element))

    return build


# --- broadcasting ---------------------------------------------------------------------------------
# lhs, rhs, broadcast_dimensions, result
STRETCHES = (
    ((3, 5), (5,), "", (3, 5)),
    ((), (3, 2), "", (3, 2)),
    ((3, 1), (1, 5), "", (3, 5)),
    ((3, 5), (3,), "broadcast_dimensions = array<i64: 0>", (3, 5)),
    ((0, 1), (4,), "", (0, 4)),
    ((1, 67), (5, 1), "", (5, 67)),
    ((2, 1, 3, 1, 2, 3), (3, 1, 1, 1), "", (2, 1, 3, 1, 2, 3)),
)
BROADCASTING = {
    "add": ALL,
    "and": LOGICAL,
    "atan2": FLOAT_OR_COMPLEX + QUANTIZED,
    "complex": WIDE_FLOAT,
    "divide": NUMBER + QUANTIZED,
    "maximum": TENSOR + QUANTIZED,
    "minimum": TENSOR + QUANTIZED,
    "multiply": TENSOR + QUANTIZED,
    "next_after": FLOAT,
    "or": LOGICAL,
    "polygamma": FLOAT,
    "power": NUMBER + QUANTIZED,
    "remainder": NUMBER + QUANTIZED,
    "shift_left": INTEGER,
    "shift_right_arithmetic": INTEGER,
    "shift_right_logical": INTEGER,
    "subtract": NUMBER + QUANTIZED,
    "xor": LOGICAL,
    "zeta": FLOAT,
}


def _near(name: str, element: str) -> Tolerance:
    if name in ("polygamma", "zeta"):
        return function(element)
    return elementwise.BINARY[name].near(element) if name in elementwise.BINARY else EXACT


def _broadcasting(name: str) -> Callable[[str], Iterator[Case]]:
    def build(element: str) -> Iterator[Case]:
        for lhs, rhs, array, result in STRETCHES if element not in PER_AXIS else STRETCHES[2:3]:
            inputs = [
                given(element, moderate(element, lhs, 1)),
                given(element, moderate(element, rhs, 2)),
            ]
            if name in ("polygamma", "zeta"):
                whole = np.abs(small(element, lhs, 1).astype(np.float64)) + 2
                inputs[0] = given(element, whole.astype(dtype_of(element)))
            type = tensor(f"complex<{element}>" if name == "complex" else element, result)
            case = call(
                f"chlo.broadcast_{name}", inputs, [type], array, tolerance=_near(name, element)
            )
            undefined = name == "remainder" and is_complex(element)
            yield replace(case, undefined=elementwise.NO_REMAINDER) if undefined else case

    return build


def _broadcast_compare(element: str) -> Iterator[Case]:
    for lhs, rhs, more, result in STRETCHES:
        inputs = [
            given(element, at_edges(element, lhs, 1)),
            given(element, at_edges(element, rhs, 2)),
        ]
        attributes = "comparison_direction = #chlo<comparison_direction LT>" + (
            f", {more}" if more else ""
        )
        yield call("chlo.broadcast_compare", inputs, [tensor("i1", result)], attributes)


def _broadcast_select(element: str) -> Iterator[Case]:
    for shape, other, _, result in STRETCHES[:3]:
        pred = np.random.default_rng(1).random(other) < 0.5
        inputs = [
            Input(tensor("i1", other), pred),
            given(element, at_edges(element, shape, 1)),
            given(element, at_edges(element, (), 2)),
        ]
        yield call("chlo.broadcast_select", inputs, [tensor(element, result)])


# --- constants ------------------------------------------------------------------------------------
def _constant(element: str) -> Iterator[Case]:
    from cases.data_movement import literal

    for array in (edges(element)[:16], np.repeat(edges(element)[-1:], 70)):
        type = tensor(element, array.shape)
        yield call(
            "chlo.constant", [], [type], f"value = {literal(element, array)} : {type}", label=type
        )


def _constant_like(element: str) -> Iterator[Case]:
    value = {"i1": "true"}.get(
        element, f"1 : {element}" if element in INTEGER else f"1.5 : {element}"
    )
    if element in ("f8E8M0FNU",):
        value = f"2.0 : {element}"
    if is_complex(element):
        value = f"#complex.number<:{element[8:-1]} 1.5, -2.0> : {element}"
    for shape in ((3, 5), (), (0,), (67,)):
        operand = given(element, at_edges(element, shape))
        yield call("chlo.constant_like", [operand], [operand.type], f"value = {value}")


# --- along dimensions -----------------------------------------------------------------------------
def _top_k(element: str) -> Iterator[Case]:
    for shape, k in (
        ((3, 9), 4),
        ((7,), 7),
        ((5,), 0),
        ((2, 67), 5),
        ((2, 1, 3, 1, 2, 3), 2),
        ((1,), 1),
    ):
        operand = given(element, at_edges(element, shape))
        kept = (*shape[:-1], k)
        yield call(
            "chlo.top_k", [operand], [tensor(element, kept), tensor("i32", kept)], f"k = {k} : i64"
        )


def _scan(element: str) -> Iterator[Case]:
    for shape, dimension, reverse in (
        ((5,), 0, False),
        ((3, 5), 1, True),
        ((3, 5), 0, False),
        ((67,), 0, False),
        ((0, 2), 0, False),
    ):
        rest = [n for d, n in enumerate(shape) if d != dimension]
        piece = tensor(element, rest)
        body = f"""{{
    ^bb0(%x: {piece}, %c: {piece}):
      %s = "stablehlo.add"(%c, %x) : ({piece}, {piece}) -> {piece}
      "stablehlo.return"(%s, %s) : ({piece}, {piece}) -> ()
    }}"""
        inputs = [given(element, small(element, shape)), given(element, small(element, rest, 3))]
        attributes = f"dimension = {dimension} : i64, is_reverse = {str(reverse).lower()}, "
        attributes += (
            "operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>"
        )
        yield call("chlo.scan", inputs, [inputs[0].type, piece], attributes, regions=body)


RAGGED = """ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [],
      rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>"""


def _ragged_dot(element: str) -> Iterator[Case]:
    for rows, depth, columns, groups in (
        (7, 5, 4, (3, 0, 4)),
        (3, 2, 2, (1, 1)),
        (35, 6, 33, (30, 5)),
    ):
        sizes = given("i32", np.array(groups, np.int32))
        inputs = [
            given(element, moderate(element, (rows, depth), 1)),
            given(element, moderate(element, (len(groups), depth, columns), 2)),
            sizes,
        ]
        yield call(
            "chlo.ragged_dot",
            inputs,
            [tensor(element, (rows, columns))],
            RAGGED,
            label=f"{inputs[0].type} {groups}",
            tolerance=accumulating(element, depth),
        )


ROWS = (
    *(
        Row(f"chlo.{op}", FLOAT if op in REAL_ONLY else FLOAT_OR_COMPLEX, _unary(op))
        for op in UNARY
    ),
    Row("chlo._asin_acos_kernel", COMPLEX, _unary("_asin_acos_kernel")),
    Row("chlo.conj", FLOAT_OR_COMPLEX, _unary("conj")),
    Row("chlo.square", FLOAT_OR_COMPLEX, _square),
    *(Row(op, FLOAT, _is_inf(op)) for op in ("chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf")),
    Row("chlo.mulhi", INTEGER, elementwise.like_operands("chlo.mulhi", 2, _same)),
    Row("chlo.next_after", FLOAT, elementwise.like_operands("chlo.next_after", 2, _same)),
    *(Row(op, FLOAT, _two_floats(op)) for op in ("chlo.polygamma", "chlo.zeta")),
    *(Row(f"chlo.broadcast_{op}", types, _broadcasting(op)) for op, types in BROADCASTING.items()),
    Row("chlo.broadcast_compare", TENSOR + QUANTIZED, _broadcast_compare),
    Row("chlo.broadcast_select", TENSOR + QUANTIZED, _broadcast_select),
    Row("chlo.constant", TENSOR, _constant),
    Row("chlo.constant_like", TENSOR, _constant_like),
    Row("chlo.top_k", ("i1", *INTEGER, *FLOAT), _top_k),
    Row("chlo.scan", TENSOR + QUANTIZED, _scan),
    Row("chlo.ragged_dot", TENSOR, _ragged_dot),
)
