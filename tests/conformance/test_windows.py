"""reduce_window and select_and_scatter against their definitions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, snippet, type_of
from cases._tolerances import EXACT, Ulps, difference
from sliding import Array, Sliding, pad
from window_cases import FOLDS, Fold, attributes, case, numbers, region

import shlo_tools
from shlo_tools import mlir, ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")


def drawn(random: Any, rank: int) -> tuple[list[int], Sliding]:
    """A shape and window attributes, by lot."""

    def one_each(low: int, high: int) -> list[int]:
        return [int(n) for n in random.integers(low, high + 1, rank)]

    s = Sliding(
        one_each(1, 3),
        one_each(1, 3),
        list(zip(one_each(-1, 2), one_each(-1, 2), strict=True)),
        one_each(1, 3),
        one_each(1, 2),
    )
    return one_each(2, 6), s


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_attributes_by_lot(rank: int) -> None:
    random = np.random.default_rng(rank)
    cases = []
    for name in FOLDS:
        for _ in range(3):
            shape, s = drawn(random, rank)
            cases.append(case(name, numbers(random, "f32", shape), s))
    check(cases)


TYPES = ("i8", "ui8", "i16", "i32", "ui32", "i64", "ui64", "f16", "bf16", "f32", "f64")


@pytest.mark.parametrize("element", TYPES)
def test_types(element: str) -> None:
    random = np.random.default_rng(7)
    s = Sliding([2, 3], [1, 2], [(1, 0), (0, 1)], [1, 2], [2, 1])
    x = numbers(random, element, (5, 6))
    check([case(name, x, s, init) for name, init in (("add", 3), ("multiply", 2), ("maximum", 1))])


def test_pooling() -> None:
    """The forms that networks use, channels last and first."""
    random = np.random.default_rng(8)
    ones = [1, 1, 1, 1]
    same_pad = [(0, 0), (0, 1), (0, 1), (0, 0)]
    first = [(0, 0), (0, 0), (1, 1), (1, 1)]
    check(
        [
            case("maximum", random.normal(size=(2, 8, 8, 5)).astype("f"), s)
            for s in (
                Sliding([1, 3, 3, 1], [1, 2, 2, 1], same_pad, ones, ones),
                Sliding([1, 1, 3, 3], [1, 1, 2, 2], first, ones, ones),
                Sliding([1, 8, 8, 1], [1, 1, 1, 1], [(0, 0)] * 4, ones, ones),
            )
        ]
    )


def test_special_numbers() -> None:
    """NaN wins, -0 is below +0; padding enters with the init value."""
    x = np.array([1.0, np.nan, 2.0, -0.0, 0.0, -0.0, -np.inf, 3.0], np.float32)
    text = '%out0 = "stablehlo.reduce_window"(%in0, %in1) <{window_dimensions = array<i64: 2>, '
    text += "padding = dense<[[1, 0]]> : tensor<1x2xi64>}> "
    text += f"{region('maximum', 'f32')} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>"
    expected = np.array([1.0, np.nan, np.nan, 2.0, 0.0, 0.0, -0.0, 3.0], np.float32)
    check([snippet("maximum", text, [x, np.array(-np.inf, np.float32)], [expected])])


def test_no_windows() -> None:
    s = Sliding([5, 1], [1, 1], [(0, 0), (0, 0)], [1, 1], [1, 1])
    check([case("add", np.ones(shape, np.float32), s) for shape in ((4, 3), (0, 3), (6, 0))])


def test_several_inputs() -> None:
    """Value and position of each window's largest element, and its sum, in one op."""
    random = np.random.default_rng(9)
    x = random.permutation(30).reshape(5, 6).astype(np.float32)
    number = np.arange(30, dtype=np.int32).reshape(5, 6)
    s = Sliding([2, 3], [1, 1], [(0, 0), (0, 0)], [1, 1], [1, 1])
    values, places = (np.zeros((4, 4), t) for t in (np.float32, np.int32))
    for index, window in s.windows(x, 0):
        values[index] = window.max()
    for index, window in s.windows(number, 0):
        places[index] = window.reshape(-1)[np.argmax(x.reshape(-1)[window.reshape(-1)])]
    text = f"""%out0, %out1 = "stablehlo.reduce_window"(%in0, %in1, %in2, %in3)
    <{{{attributes(s)}}}> ({{
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %n = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %v, %n : tensor<f32>, tensor<i32>
    }}) : (tensor<5x6xf32>, tensor<5x6xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<4x4xf32>, tensor<4x4xi32>)"""
    inits = [np.array(-np.inf, np.float32), np.array(-1, np.int32)]
    check([snippet("argmax", text, [x, number, *inits], [values, places])])


def test_order_and_captured_values() -> None:
    """The body takes what came before first; it may use values from outside.

    x + c * y is not commutative: folding 0, then 1, 2, 3 gives c * (1 + 2 + 3).
    """
    x = np.arange(1, 7, dtype=np.float32)
    text = """%out0 = "stablehlo.reduce_window"(%in0, %in1) <{window_dimensions = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %b, %in2 : tensor<f32>
      %z = stablehlo.add %a, %s : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<4xf32>"""
    zero, ten = np.array(0, np.float32), np.array(10, np.float32)
    expected = np.array([60, 90, 120, 150], np.float32)
    check([snippet("captured", text, [x, zero, ten], [expected])])


def test_computed_inputs() -> None:
    """What overlapping windows read is put into a buffer first; another op reads it as well."""
    x = np.linspace(-1, 1, 30, dtype=np.float32)
    text = f"""%e = stablehlo.multiply %in0, %in0 : tensor<30xf32>
    %out0 = "stablehlo.reduce_window"(%e, %in1) <{{window_dimensions = array<i64: 3>}}>
    {region("add", "f32")} : (tensor<30xf32>, tensor<f32>) -> tensor<28xf32>
    %out1 = stablehlo.add %e, %e : tensor<30xf32>"""
    square = x.astype(np.float64) ** 2
    sums = np.convolve(square, np.ones(3), "valid")
    expected = [sums, 2 * square]
    types = ["tensor<28xf32>", "tensor<30xf32>"]
    check([snippet("squares", text, [x, np.array(0, "f")], expected, Ulps(3), types)])


# --- select_and_scatter ---------------------------------------------------------------------------
SELECTS: dict[str, Fold] = {"GE": np.greater_equal, "LE": np.less_equal, "GT": np.greater}


def scattered(operand: Array, source: Array, init: Any, s: Sliding, keep: Fold) -> Array:
    """The definition: the window's elements in order, without the padding; sums at the chosen."""
    places = np.arange(operand.size).reshape(operand.shape)
    array = operand.reshape(-1)
    result = np.full(operand.size, init, operand.dtype)
    for index, window in s.windows(places, -1):
        inside = [place for place in window.reshape(-1) if place >= 0]
        if inside:
            chosen = functools.reduce(lambda a, b: a if keep(array[a], array[b]) else b, inside)
            with np.errstate(over="ignore"):
                result[chosen] += source[index]
    return result.reshape(operand.shape)


def selecting(
    operand: Array, source: Array, init: float, s: Sliding, direction: str = "GE"
) -> Case:
    element = shlo_tools.dtypes.from_dtype(operand.dtype).name
    scalar = f"tensor<{element}>"
    start = np.array(init, operand.dtype)
    rows = [list(pair) for pair in s.padding]
    text = f"""%out0 = "stablehlo.select_and_scatter"(%in0, %in1, %in2) <{{
      window_dimensions = array<i64: {str(list(s.window_dimensions))[1:-1]}>,
      window_strides = array<i64: {str(list(s.window_strides))[1:-1]}>,
      padding = dense<{rows}> : tensor<{len(rows)}x2xi64>}}> ({{
    ^bb0(%x: {scalar}, %y: {scalar}):
      %p = stablehlo.compare {direction}, %x, %y : ({scalar}, {scalar}) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }}, {{
    ^bb0(%x: {scalar}, %y: {scalar}):
      %z = stablehlo.add %x, %y : {scalar}
      stablehlo.return %z : {scalar}
    }}) : ({type_of(operand)}, {type_of(source)}, {scalar}) -> {type_of(operand)}"""
    expected = scattered(operand, source, start, s, SELECTS[direction])
    return snippet(
        f"{direction} {type_of(operand)} {s}", text, [operand, source, start], [expected]
    )


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_selecting_by_lot(rank: int) -> None:
    """With ties, overlapping windows, and windows that lie in the padding altogether."""
    random = np.random.default_rng(20 + rank)
    cases = []
    for number in range(9):
        ones = [1] * rank
        size, stride = (random.integers(1, 4, rank).tolist() for _ in range(2))
        low, high = (random.integers(-1, 4, rank).tolist() for _ in range(2))
        s = Sliding(size, stride, list(zip(low, high, strict=True)), ones, ones)
        x = numbers(random, "f32", random.integers(2, 6, rank))
        source = numbers(random, "f32", s.num_windows(x.shape))
        cases.append(selecting(x, source, number % 3, s, list(SELECTS)[number % 3]))
    check(cases)


@pytest.mark.parametrize("element", ["i8", "ui8", "i32", "i64", "bf16", "f16", "f64"])
def test_selecting_types(element: str) -> None:
    random = np.random.default_rng(30)
    s = Sliding([2, 2], [1, 2], [(1, 0), (0, 1)], [1, 1], [1, 1])
    x = numbers(random, element, (5, 5))
    source = numbers(random, element, s.num_windows(x.shape))
    check([selecting(x, source, 1, s, direction) for direction in ("GE", "LE")])


def test_selecting_nan() -> None:
    """NaN >= x and x >= NaN are false: the later element is kept."""
    x = np.array([1, np.nan, 0, np.nan, 5, 2], np.float32)
    s = Sliding([3], [3], [(0, 0)], [1], [1])
    expected = np.array([0, 0, 7, 0, 8, 0], np.float32)
    result = selecting(x, np.array([7, 8], np.float32), 0, s)
    assert result.expected is not None and difference(result.expected[0], expected, EXACT) == ""
    check([result])


def test_padding_is_never_selected() -> None:
    """All elements are below the zero that padding is elsewhere."""
    x = np.full((3,), -5, np.float32)
    s = Sliding([2], [2], [(1, 0)], [1], [1])
    expected = np.array([1, 2, 0], np.float32)
    result = selecting(x, np.array([1, 2], np.float32), 0, s)
    assert result.expected is not None and difference(result.expected[0], expected, EXACT) == ""
    check([result])


# --- the reference itself, and the op functions ---------------------------------------------------
def test_reference_pad() -> None:
    """The spec's example of pad."""
    operand = np.array([[1, 2, 3], [4, 5, 6]])
    expected = np.array(
        [
            [0, 1, 0, 0, 2, 0, 0, 3, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0, 4, 0, 0, 5, 0, 0, 6, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
    )
    result = pad(operand, 0, [(0, 1), (1, 2)], [3, 3])
    assert np.array_equal(result[:, : expected.shape[1]], expected)
    assert np.array_equal(pad(operand, 0, [(-1, 0), (0, -2)], [1, 1]), [[4]])


def test_builders() -> None:
    module = Module()

    @module.func("4x6xf32", "2x3xf32")
    def main(x: ops.Tensor, source: ops.Tensor) -> Any:
        (sums,) = ops.reduce_window(
            [x], [0.0], (1, 3), padding=[(0, 0), (2, 0)], body=lambda a, b: a + b
        )
        chosen = ops.select_and_scatter(
            x,
            source,
            0.0,
            (2, 2),
            (2, 2),
            select=lambda a, b: ops.compare(a, b, "GE"),
            scatter=lambda a, b: a + b,
        )
        return sums, chosen

    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    source = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    sums, chosen = shlo_tools.compile(module)(x, source)
    np.testing.assert_array_equal(sums[:, 5], x[:, 3:].sum(1))
    np.testing.assert_array_equal(chosen[1::2, 1::2], source)
    assert chosen.sum() == source.sum()
    with mlir.library_context():
        for op in mlir.walk(module.module.operation):
            if op.name in ("stablehlo.reduce_window", "stablehlo.select_and_scatter"):
                ops.verify(op)


@pytest.mark.parametrize(
    ("label", "changed"),
    [
        ("C4", {"window_dimensions": (2,)}),
        ("C4", {"window_dimensions": (2, 0)}),
        ("C6", {"window_strides": (1, 0)}),
        ("C8", {"base_dilations": (0, 1)}),
        ("C12", {"padding": [(0, 0)]}),
        ("C13", {"body": lambda a, b: ops.compare(a, b, "GE")}),
    ],
)
def test_constraints(label: str, changed: dict[str, Any]) -> None:
    inputs: dict[str, Any] = {"window_dimensions": (2, 2), "body": lambda a, b: a + b, **changed}
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):

        @Module().func("4x6xf32")
        def main(x: ops.Tensor) -> Any:
            return ops.reduce_window([x], [0.0], **inputs)
