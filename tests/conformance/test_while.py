"""``while``: which values its iterations see, whatever is kept in place underneath."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from batch import expect
from cases._case import type_of
from cases._inputs import noise
from cases._tolerances import BITS, difference
from cases._types import COMPLEX
from expected import REAL

import shlo_tools

Array = np.ndarray[Any, Any]


def loop(types: Sequence[str], body: str, *, first: str = "%n", setup: str = "") -> str:
    """``@main(%n, %a0, %a1, ...)``: the body runs ``%n`` times over %x0, %x1, ... into %y0, ..."""
    names = range(len(types))
    carried = ", ".join(["tensor<i32>", *types])
    arguments = ", ".join(["%n: tensor<i32>", *(f"%a{i}: {types[i]}" for i in names)])
    heads = ", ".join(["%i: tensor<i32>", *(f"%x{i}: {types[i]}" for i in names)])
    inputs = ", ".join([first, *(f"%a{i}" for i in names)])
    outs = [f"%r#{i + 1}" for i in names]
    return f"""
      func.func @main({arguments}) -> ({", ".join(types)}) {{
        {setup}
        %r:{len(types) + 1} = "stablehlo.while"({inputs}) ({{
        ^bb0({heads}):
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        }}, {{
        ^bb0({heads}):
          %one = stablehlo.constant dense<1> : tensor<i32>
          %next = stablehlo.subtract %i, %one : tensor<i32>
          {body}
          stablehlo.return {", ".join(["%next", *(f"%y{i}" for i in names)])} : {carried}
        }}) : ({carried}) -> ({carried})
        return {", ".join(outs)} : {", ".join(types)}
      }}"""


I4 = "tensor<4xi32>"
TRIPS = (0, 1, 2, 5)


def _count(trips: int) -> Array:
    return np.array(trips, np.int32)


@pytest.mark.parametrize("order", [(1, 0), (1, 2, 0), (2, 0, 1), (0, 0, 1), (1, 1), (3, 2, 1, 0)])
def test_carried_values_change_places(order: tuple[int, ...]) -> None:
    """Every next value is read before any is written."""
    arrays = [np.arange(4, dtype=np.int32) + 10 * i for i in range(len(order))]
    text = loop([I4] * len(order), "")
    for i, source in enumerate(order):
        text = text.replace(f"%y{i}", f"%x{source}")
    executable = shlo_tools.compile(text)
    for trips in TRIPS:
        expected = arrays
        for _ in range(trips):
            expected = [expected[source] for source in order]
        for actual, right in zip(executable(_count(trips), *arrays), expected, strict=True):
            np.testing.assert_array_equal(actual, right)


def test_fibonacci_and_values_overwritten_too_early() -> None:
    body = f"""
      %y0 = stablehlo.add %x1, %x2 : {I4}
      %s = stablehlo.add %x0, %x1 : {I4}
      %y1 = stablehlo.subtract %s, %x2 : {I4}
      %y2 = stablehlo.add %x0, %s : {I4}"""
    arrays = [np.arange(4, dtype=np.int32) * k for k in (1, 3, 7)]
    executable = shlo_tools.compile(loop([I4] * 3, body))
    for trips in TRIPS:
        x, y, z = arrays
        for _ in range(trips):
            x, y, z = y + z, x + y - z, x + x + y
        for actual, right in zip(executable(_count(trips), *arrays), (x, y, z), strict=True):
            np.testing.assert_array_equal(actual, right)


def test_a_value_moved_within_itself() -> None:
    """Transposed, reversed by a gather-like reshape, and mixed with its old self."""
    square = "tensor<3x3xi32>"
    body = f"""
      %y0 = stablehlo.transpose %x0, dims = [1, 0] : ({square}) -> {square}
      %t = stablehlo.transpose %x1, dims = [1, 0] : ({square}) -> {square}
      %y1 = stablehlo.add %t, %x1 : {square}"""
    a = np.arange(9, dtype=np.int32).reshape(3, 3)
    executable = shlo_tools.compile(loop([square, square], body))
    for trips in TRIPS:
        x, y = a, a + 1
        for _ in range(trips):
            x, y = x.T, y.T + y
        one, two = executable(_count(trips), a, a + 1)
        np.testing.assert_array_equal(one, x)
        np.testing.assert_array_equal(two, y)


def test_views_of_each_other() -> None:
    """Reshapes are views; swapped through them, buffers may not be mixed up."""
    wide, flat = "tensor<2x3xf32>", "tensor<6xf32>"
    body = f"""
      %y0 = stablehlo.reshape %x1 : ({flat}) -> {wide}
      %y1 = stablehlo.reshape %x0 : ({wide}) -> {flat}"""
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), -np.arange(6, dtype=np.float32)
    executable = shlo_tools.compile(loop([wide, flat], body))
    for trips in TRIPS:
        one, two = executable(_count(trips), a, b)
        first, second = (a, b) if trips % 2 == 0 else (b, a)
        np.testing.assert_array_equal(one.reshape(-1), first.reshape(-1))
        np.testing.assert_array_equal(two.reshape(-1), second.reshape(-1))


def test_yielded_values_that_the_body_does_not_compute() -> None:
    """A captured argument, a constant, an unchanged value, one value twice."""
    body = f"""
      %c = stablehlo.constant dense<[5, 6, 7, 8]> : {I4}
      %y0 = stablehlo.add %x0, %x1 : {I4}
    """
    text = loop([I4] * 5, body)
    for name, source in (("%y1", "%a0"), ("%y2", "%c"), ("%y3", "%x3"), ("%y4", "%y0")):
        text = text.replace(name, source)
    arrays = [np.arange(4, dtype=np.int32) + 100 * i for i in range(5)]
    executable = shlo_tools.compile(text)
    for trips in TRIPS:
        x = list(arrays)
        for _ in range(trips):
            total = x[0] + x[1]
            x = [total, arrays[0], np.array([5, 6, 7, 8], np.int32), x[3], total]
        for actual, right in zip(executable(_count(trips), *arrays), x, strict=True):
            np.testing.assert_array_equal(actual, right)


def test_one_initial_value_for_several_carried_ones() -> None:
    """Two loop values that start from the same array (an argument, a result, a constant)."""
    body = f"""
      %y0 = stablehlo.add %x0, %x1 : {I4}
      %y1 = stablehlo.multiply %x1, %x0 : {I4}"""
    setups = {
        "argument": "",
        "result": f"%v = stablehlo.add %a0, %a1 : {I4}",
        "constant": f"%v = stablehlo.constant dense<[1, 2, 3, 4]> : {I4}",
    }
    a = np.array([1, 2, 3, 4], np.int32)
    for name, setup in setups.items():
        text = loop([I4, I4], body, setup=setup)
        source = "%a0" if name == "argument" else "%v"
        text = text.replace("(%n, %a0, %a1) (", f"(%n, {source}, {source}) (")
        text = text.replace("return %r#1, %r#2", f"return %r#1, {source}")
        executable = shlo_tools.compile(text)
        start = 2 * a if name == "result" else a
        for trips in TRIPS:
            x, y = start, start
            for _ in range(trips):
                x, y = x + y, y * x
            one, two = executable(_count(trips), a, a)
            np.testing.assert_array_equal(one, x)
            np.testing.assert_array_equal(two, start)  # still what the loop started from


def test_every_type_is_carried() -> None:
    """Types and shapes mixed in one loop, rotated in pairs; sizes 0 and 1, rank 0."""
    for shape in ((), (1,), (0, 3), (2, 3), (37,)):
        arrays = []
        for element in (*REAL, *COMPLEX):
            size = int(np.prod(shape))
            arrays += [
                noise(element, count=max(size, 1), seed=s)[:size].reshape(shape) for s in (2, 3)
            ]
        text = loop([type_of(array) for array in arrays], "")
        for i in range(len(arrays)):
            text = text.replace(f" %y{i},", f" %x{i ^ 1},").replace(f" %y{i} ", f" %x{i ^ 1} ")
        results = shlo_tools.compile(text)(_count(3), *arrays)
        for i, result in enumerate(results):
            assert difference(result, arrays[i ^ 1], BITS) == ""


def test_nested_loops_with_captured_values() -> None:
    """The inner loop reads the outer one's values, and runs a different number of times."""
    text = """
      func.func @main(%n: tensor<i32>, %a: tensor<4xi32>) -> (tensor<4xi32>, tensor<i32>) {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %r:3 = stablehlo.while(%i = %zero, %x = %a, %count = %zero)
            : tensor<i32>, tensor<4xi32>, tensor<i32>
        cond {
          %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %s:3 = stablehlo.while(%j = %zero, %y = %a, %c = %count)
              : tensor<i32>, tensor<4xi32>, tensor<i32>
          cond {
            %more = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          } do {
            %k = stablehlo.add %j, %one : tensor<i32>
            %z = stablehlo.add %y, %x : tensor<4xi32>
            %d = stablehlo.add %c, %one : tensor<i32>
            stablehlo.return %k, %z, %d : tensor<i32>, tensor<4xi32>, tensor<i32>
          }
          %next = stablehlo.add %i, %one : tensor<i32>
          %sum = stablehlo.subtract %s#1, %x : tensor<4xi32>
          stablehlo.return %next, %sum, %s#2 : tensor<i32>, tensor<4xi32>, tensor<i32>
        }
        return %r#1, %r#2 : tensor<4xi32>, tensor<i32>
      }"""
    a = np.array([1, -2, 3, 5], np.int32)
    executable = shlo_tools.compile(text)
    for trips in TRIPS:
        x, count = a, 0
        for i in range(trips):
            y = a
            for _ in range(i + 1):
                y, count = y + x, count + 1
            x = y - x
        result, counted = executable(_count(trips), a)
        np.testing.assert_array_equal(result, x)
        assert counted == count


def test_loops_inside_called_functions() -> None:
    """A function with a loop, called twice, and from inside another loop."""
    text = """
      func.func private @double(%n: tensor<i32>, %x: tensor<3xf64>) -> tensor<3xf64> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<3xf64>
        cond {
          %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %next = stablehlo.subtract %i, %one : tensor<i32>
          %z = stablehlo.add %y, %y : tensor<3xf64>
          stablehlo.return %next, %z : tensor<i32>, tensor<3xf64>
        }
        return %r#1 : tensor<3xf64>
      }
      func.func @main(%n: tensor<i32>, %a: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %0 = func.call @double(%one, %a) : (tensor<i32>, tensor<3xf64>) -> tensor<3xf64>
        %r:2 = stablehlo.while(%i = %n, %y = %0) : tensor<i32>, tensor<3xf64>
        cond {
          %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %next = stablehlo.subtract %i, %one : tensor<i32>
          %z = func.call @double(%i, %y) : (tensor<i32>, tensor<3xf64>) -> tensor<3xf64>
          stablehlo.return %next, %z : tensor<i32>, tensor<3xf64>
        }
        return %0, %r#1 : tensor<3xf64>, tensor<3xf64>
      }"""
    a = np.array([1.5, -2.0, 0.25])
    for trips in TRIPS:
        power = 1 + sum(range(1, trips + 1))
        expect(text, [_count(trips), a], [2 * a, a * 2.0**power])


def test_conditions_on_whole_tensors_and_mixed_types() -> None:
    """Newton's iteration for square roots: until every element is close, counting in i64."""
    text = """
      func.func @main(%a: tensor<6xf64>) -> (tensor<6xf64>, tensor<i64>) {
        %zero = stablehlo.constant dense<0> : tensor<i64>
        %one = stablehlo.constant dense<1> : tensor<i64>
        %half = stablehlo.constant dense<0.5> : tensor<6xf64>
        %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
        %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
        %r:2 = stablehlo.while(%x = %a, %n = %zero) : tensor<6xf64>, tensor<i64>
        cond {
          %square = stablehlo.multiply %x, %x : tensor<6xf64>
          %rest = stablehlo.subtract %square, %a : tensor<6xf64>
          %size = stablehlo.abs %rest : tensor<6xf64>
          %worst = stablehlo.reduce(%size init: %least) applies stablehlo.maximum
            across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
          %go = stablehlo.compare GT, %worst, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %q = stablehlo.divide %a, %x : tensor<6xf64>
          %s = stablehlo.add %x, %q : tensor<6xf64>
          %next = stablehlo.multiply %s, %half : tensor<6xf64>
          %m = stablehlo.add %n, %one : tensor<i64>
          stablehlo.return %next, %m : tensor<6xf64>, tensor<i64>
        }
        return %r#0, %r#1 : tensor<6xf64>, tensor<i64>
      }"""
    a = np.array([1.0, 2.0, 3.0, 10.0, 0.5, 144.0])
    x, steps = a, 0
    while np.abs(x * x - a).max() > 1e-12:
        x, steps = (x + a / x) * 0.5, steps + 1
    expect(text, [a], [x, np.array(steps)])


def test_a_loop_that_carries_nothing() -> None:
    text = """
      func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
        "stablehlo.while"() ({
          %no = stablehlo.constant dense<false> : tensor<i1>
          stablehlo.return %no : tensor<i1>
        }, {
          stablehlo.return
        }) : () -> ()
        return %a : tensor<4xi32>
      }"""
    a = np.arange(4, dtype=np.int32)
    expect(text, [a], [a])
