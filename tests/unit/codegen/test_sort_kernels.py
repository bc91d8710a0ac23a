"""Sorts by keys and by comparators, short lines and long ones, along any dimension."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i64": np.int64,
    "ui16": np.uint16,
    "ui64": np.uint64,
    "i1": np.bool_,
}
LINES = [((1,), 0), ((2,), 0), ((17,), 0), ((199,), 0), ((201,), 0), ((3, 65), 1), ((65, 3), 0)]
LINES += [((2, 33, 5), 1), ((1500, 2), 1), ((3, 17000), 1), ((2, 9000), 1), ((33000,), 0)]
LINES += [((0, 4), 1), ((4, 0), 1)]


def values(shape: tuple[int, ...], type: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dtype = TYPES[type]
    if type == "i1":
        return rng.integers(0, 2, shape).astype(dtype)
    if type.startswith("f"):
        return np.asarray(np.round(rng.standard_normal(shape) * 100), dtype)
    info = np.iinfo(dtype)
    ends = rng.choice(np.array([info.min, info.max, 0, 1], dtype), shape)
    spread = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(rng.integers(0, 2, shape, bool), ends, spread).astype(dtype)


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def argsort(shape: tuple[int, ...], dimension: int, type: str, comparator: str) -> str:
    """A sort of a tensor and of the numbers of its places; ``%a`` and ``%b`` are compared."""
    of, to = typed(shape, type), typed(shape, "i32")
    return f"""func.func @main(%x: {of}) -> ({of}, {to}) {{
      %i = stablehlo.iota dim = {dimension} : {to}
      %0:2 = "stablehlo.sort"(%x, %i) ({{
      ^bb0(%a: tensor<{type}>, %b: tensor<{type}>, %c: tensor<i32>, %d: tensor<i32>):
        {comparator}
        stablehlo.return %less : tensor<i1>
      }}) {{dimension = {dimension} : i64, is_stable = true}}
        : ({of}, {to}) -> ({of}, {to})
      return %0#0, %0#1 : {of}, {to}
    }}"""


def compared(type: str, direction: str, order: str = "", names: str = "%a, %b") -> str:
    kind = {"f": "FLOAT", "b": "FLOAT", "i": "SIGNED", "u": "UNSIGNED"}[type[0]]
    kind = order or ("UNSIGNED" if type == "i1" else kind)
    types = f"(tensor<{type}>, tensor<{type}>) -> tensor<i1>"
    return f"%less = stablehlo.compare {direction}, {names}, {kind} : {types}"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape, dimension", LINES)
def test_a_stable_sort_by_keys(shape: tuple[int, ...], dimension: int, type: str) -> None:
    for direction in ("LT", "GT"):
        text = argsort(shape, dimension, type, compared(type, direction))
        assert_staged(text, values(shape, type))


@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("length", [9, 300])
def test_the_total_order(length: int, type: str) -> None:
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45], TYPES[type])
    x = np.random.default_rng(0).choice(special, length)
    for direction in ("LT", "GT"):
        text = argsort((length,), 0, type, compared(type, direction, "TOTALORDER"))
        assert_staged(text, x)


@pytest.mark.parametrize("length", [9, 300, 40000])
def test_zeros_of_both_signs_are_equal(length: int) -> None:
    x = np.random.default_rng(0).choice(np.array([0.0, -0.0, 1, -1, np.inf], np.float32), length)
    assert_staged(argsort((length,), 0, "f32", compared("f32", "LT")), x)


@pytest.mark.parametrize("length", [9, 300])
def test_the_comparator_that_jax_writes(length: int) -> None:
    def canonical(x: str, y: str) -> str:
        return f"""
        {y}z = stablehlo.compare EQ, {x}, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        {y}s = stablehlo.select {y}z, %zero, {x} : tensor<i1>, tensor<f32>
        {y}n = stablehlo.compare NE, {x}, {x}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        {y} = stablehlo.select {y}n, %nan, {y}s : tensor<i1>, tensor<f32>"""

    comparator = f"""
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
        {canonical("%a", "%p")}
        {canonical("%b", "%q")}
        {compared("f32", "LT", "TOTALORDER", "%p, %q")}"""
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 2.5], np.float32)
    x = np.random.default_rng(0).choice(special, length)
    assert_staged(argsort((length,), 0, "f32", comparator), x)


@pytest.mark.parametrize("shape, dimension", LINES)
def test_other_comparators(shape: tuple[int, ...], dimension: int) -> None:
    swapped = compared("i64", "LT", names="%b, %a")
    by_place = """
        %e = stablehlo.compare LT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %f = stablehlo.compare EQ, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %g = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %h = stablehlo.and %f, %g : tensor<i1>
        %less = stablehlo.or %e, %h : tensor<i1>"""
    magnitude = f"""
        %p = stablehlo.abs %a : tensor<i64>
        %q = stablehlo.abs %b : tensor<i64>
        {compared("i64", "LT", names="%p, %q")}"""
    x = values(shape, "i64") // 3
    for comparator in (swapped, by_place, magnitude):
        assert_staged(argsort(shape, dimension, "i64", comparator), x)


@pytest.mark.parametrize("answer", ["true", "false"])
def test_comparators_that_order_nothing_leave_a_permutation(answer: str) -> None:
    comparator = f"%less = stablehlo.constant dense<{answer}> : tensor<i1>"
    x = np.arange(100, dtype=np.int64)
    sorted_values, places = compile(argsort((100,), 0, "i64", comparator))(x)
    np.testing.assert_array_equal(np.sort(places), x)
    np.testing.assert_array_equal(sorted_values, x[places])


def test_what_is_sorted_may_be_computed_and_is_computed_with() -> None:
    text = """func.func @main(%x: tensor<70x9xf32>) -> tensor<70x9xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<70x9xf32>) -> tensor<9x70xf32>
      %1 = stablehlo.negate %0 : tensor<9x70xf32>
      %2 = "stablehlo.sort"(%1) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<9x70xf32>) -> tensor<9x70xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<9x70xf32>) -> tensor<70x9xf32>
      %4 = stablehlo.subtract %3, %x : tensor<70x9xf32>
      return %4 : tensor<70x9xf32>
    }"""
    assert_staged(text, values((70, 9), "f32"))


def test_a_comparator_with_constants_from_around() -> None:
    """As JAX sorts: zeros are equal, and all NaN."""
    text = """func.func @main(%x: tensor<65x3xf32>) -> tensor<65x3xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %0 = "stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.compare EQ, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
        %3 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
        %5 = stablehlo.compare EQ, %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
        %7 = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
        %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65x3xf32>) -> tensor<65x3xf32>
      return %0 : tensor<65x3xf32>
    }"""
    x = values((65, 3), "f32")
    x[::7], x[::5], x[1::5] = np.nan, -0.0, 0.0
    assert_staged(text, x)
