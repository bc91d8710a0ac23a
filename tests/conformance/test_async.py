"""``async_start`` and ``async_done``; tokens, tuples and barriers, which are no values at all."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import UnsupportedError

V, W = "tensor<4xf32>", "tensor<2xf32>"
FUTURE = f"!stablehlo.future<{W}>"
A = np.array([1, 2, 3, 4], np.float32)
SLICE = f"""({{
  ^bb0(%v: {V}):
    %s = stablehlo.slice %v [1:3] : ({V}) -> {W}
    stablehlo.return %s : {W}
}})"""


def _same(text: str, *arguments: np.ndarray) -> list[np.ndarray]:
    """What a program gives natively; the reference must agree."""
    got, expected = shlo_tools.compile(text)(*arguments), reference.compile(text)(*arguments)
    rows = [list(x) if isinstance(x, tuple) else [x] for x in (got, expected)]
    for one, two in zip(*rows, strict=True):
        np.testing.assert_array_equal(one, two)
    return rows[0]


# --- async ----------------------------------------------------------------------------------------
def test_a_slice() -> None:
    text = f"""func.func @main(%a: {V}) -> ({W}, {V}) {{
      %0 = "stablehlo.async_start"(%a) {SLICE} : ({V}) -> {FUTURE}
      %1 = stablehlo.negate %a : {V}
      %2 = "stablehlo.async_done"(%0) : ({FUTURE}) -> {W}
      return %2, %1 : {W}, {V}
    }}"""
    one, two = _same(text, A)
    np.testing.assert_array_equal(one, A[1:3])
    np.testing.assert_array_equal(two, -A)


def test_a_dynamic_slice_and_its_update() -> None:
    text = f"""func.func @main(%a: {V}, %i: tensor<i32>, %u: {W}) -> ({W}, {V}) {{
      %0 = "stablehlo.async_start"(%a, %i) ({{
        ^bb0(%v: {V}, %j: tensor<i32>):
          %s = stablehlo.dynamic_slice %v, %j, sizes = [2] : ({V}, tensor<i32>) -> {W}
          stablehlo.return %s : {W}
      }}) : ({V}, tensor<i32>) -> {FUTURE}
      %1 = "stablehlo.async_start"(%a, %u, %i) ({{
        ^bb0(%v: {V}, %w: {W}, %j: tensor<i32>):
          %s = stablehlo.dynamic_update_slice %v, %w, %j : ({V}, {W}, tensor<i32>) -> {V}
          stablehlo.return %s : {V}
      }}) : ({V}, {W}, tensor<i32>) -> !stablehlo.future<{V}>
      %2 = "stablehlo.async_done"(%1) : (!stablehlo.future<{V}>) -> {V}
      %3 = "stablehlo.async_done"(%0) : ({FUTURE}) -> {W}
      return %3, %2 : {W}, {V}
    }}"""
    update = np.array([8, 9], np.float32)
    executable = shlo_tools.compile(text)
    for start in (0, 1, 2, 7, -3):  # clamped
        at = min(max(start, 0), 2)
        one, two = executable(A, np.int32(start), update)
        np.testing.assert_array_equal(one, A[at : at + 2])
        np.testing.assert_array_equal(two, np.r_[A[:at], update, A[at + 2 :]])


def test_a_collective() -> None:
    text = f"""func.func @main(%a: {V}) -> {V} {{
      %0 = "stablehlo.async_start"(%a) ({{
        ^bb0(%v: {V}):
          %s = "stablehlo.collective_permute"(%v) {{
              source_target_pairs = dense<0> : tensor<1x2xi64>}} : ({V}) -> {V}
          stablehlo.return %s : {V}
      }}) : ({V}) -> !stablehlo.future<{V}>
      %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<{V}>) -> {V}
      return %1 : {V}
    }}"""
    np.testing.assert_array_equal(_same(text, A)[0], A)
    with pytest.raises(UnsupportedError, match=r"collective_permute .*runs alone"):
        shlo_tools.compile(text.replace("dense<0>", "dense<[[0, 3]]>"))


def test_futures_cross_functions() -> None:
    """Unsigned elements too: a future holds the lowered types of what it stands for."""
    v, w, future = (type.replace("f32", "ui8") for type in (V, W, FUTURE))
    text = f"""
    func.func private @begin(%a: {v}, %b: {v}) -> ({future}, {v}, {future})
        attributes {{no_inline}} {{
      %0 = "stablehlo.async_start"(%a) {SLICE.replace("f32", "ui8")} : ({v}) -> {future}
      %1 = "stablehlo.async_start"(%b) {SLICE.replace("f32", "ui8")} : ({v}) -> {future}
      return %1, %a, %0 : {future}, {v}, {future}
    }}
    func.func private @end(%a: {future}) -> {w} attributes {{no_inline}} {{
      %0 = "stablehlo.async_done"(%a) : ({future}) -> {w}
      return %0 : {w}
    }}
    func.func @main(%a: {v}) -> ({w}, {w}) {{
      %r = stablehlo.reverse %a, dims = [0] : {v}
      %0:3 = call @begin(%a, %r) : ({v}, {v}) -> ({future}, {v}, {future})
      %1 = call @end(%0#2) : ({future}) -> {w}
      %2 = call @end(%0#0) : ({future}) -> {w}
      return %1, %2 : {w}, {w}
    }}"""
    a = np.array([200, 201, 202, 203], np.uint8)
    one, two = _same(text, a)
    np.testing.assert_array_equal(one, a[1:3])
    np.testing.assert_array_equal(two, a[::-1][1:3])


# --- tokens and barriers --------------------------------------------------------------------------
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_after_all(count: int) -> None:
    result = "\n".join(f"%t{i} = stablehlo.create_token : !stablehlo.token" for i in range(count))
    names = ", ".join(f"%t{i}" for i in range(count))
    types = ", ".join(["!stablehlo.token"] * count)
    text = f"""func.func @main(%a: {V}) -> {V} {{
      {result}
      %t = "stablehlo.after_all"({names}) : ({types}) -> !stablehlo.token
      %0:2 = "stablehlo.optimization_barrier"(%a, %t)
          : ({V}, !stablehlo.token) -> ({V}, !stablehlo.token)
      return %0#0 : {V}
    }}"""
    np.testing.assert_array_equal(_same(text, A)[0], A)


def test_tokens_through_functions_loops_and_branches() -> None:
    k = "!stablehlo.token"
    text = f"""
    func.func private @f(%t: {k}, %a: {V}, %u: {k}) -> ({k}, {V}) attributes {{no_inline}} {{
      %0 = stablehlo.after_all %t, %u : {k}
      %1 = stablehlo.add %a, %a : {V}
      return %0, %1 : {k}, {V}
    }}
    func.func @main(%a: {V}, %n: tensor<i32>) -> {V} {{
      %t = stablehlo.create_token : {k}
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:3 = "stablehlo.while"(%t, %a, %zero) ({{
      ^bb0(%u: {k}, %x: {V}, %i: tensor<i32>):
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}, {{
      ^bb0(%u: {k}, %x: {V}, %i: tensor<i32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %odd = stablehlo.and %i, %one : tensor<i32>
        %1:2 = "stablehlo.case"(%odd) ({{
          %2:2 = func.call @f(%u, %x, %t) : ({k}, {V}, {k}) -> ({k}, {V})
          stablehlo.return %2#0, %2#1 : {k}, {V}
        }}, {{
          %3 = stablehlo.negate %x : {V}
          stablehlo.return %u, %3 : {k}, {V}
        }}) : (tensor<i32>) -> ({k}, {V})
        stablehlo.return %1#0, %1#1, %j : {k}, {V}, tensor<i32>
      }}) : ({k}, {V}, tensor<i32>) -> ({k}, {V}, tensor<i32>)
      return %0#1 : {V}
    }}"""
    executable = shlo_tools.compile(text)
    for count, factor in ((0, 1), (1, 2), (2, -2), (3, -4), (4, 4)):
        np.testing.assert_array_equal(executable(A, np.int32(count)), A * factor)


# --- tuples ---------------------------------------------------------------------------------------
def test_nested_and_empty_tuples_cross_functions() -> None:
    inner = f"tuple<{V}, tuple<>, !stablehlo.token>"
    outer = f"tuple<{inner}, tensor<ui8>>"
    text = f"""
    func.func private @f(%t: {outer}) -> tuple<tensor<ui8>, {inner}> attributes {{no_inline}} {{
      %0 = stablehlo.get_tuple_element %t[0] : ({outer}) -> {inner}
      %1 = stablehlo.get_tuple_element %t[1] : ({outer}) -> tensor<ui8>
      %2 = stablehlo.tuple %1, %0 : tuple<tensor<ui8>, {inner}>
      return %2 : tuple<tensor<ui8>, {inner}>
    }}
    func.func @main(%a: {V}, %b: tensor<ui8>) -> (tensor<ui8>, {V}) {{
      %t = stablehlo.create_token : !stablehlo.token
      %e = "stablehlo.tuple"() : () -> tuple<>
      %0 = stablehlo.tuple %a, %e, %t : {inner}
      %1 = stablehlo.tuple %0, %b : {outer}
      %2 = call @f(%1) : ({outer}) -> tuple<tensor<ui8>, {inner}>
      %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<ui8>, {inner}>) -> tensor<ui8>
      %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<ui8>, {inner}>) -> {inner}
      %5 = stablehlo.get_tuple_element %4[0] : ({inner}) -> {V}
      return %3, %5 : tensor<ui8>, {V}
    }}"""
    one, two = _same(text, A, np.array(250, np.uint8))
    assert one == 250 and one.dtype == np.uint8
    np.testing.assert_array_equal(two, A)


def test_tuples_of_one_value_twice() -> None:
    text = f"""func.func @main(%a: {V}) -> ({V}, {V}) {{
      %0 = stablehlo.tuple %a, %a : tuple<{V}, {V}>
      %1 = stablehlo.get_tuple_element %0[0] : (tuple<{V}, {V}>) -> {V}
      %2 = stablehlo.get_tuple_element %0[1] : (tuple<{V}, {V}>) -> {V}
      return %1, %2 : {V}, {V}
    }}"""
    one, two = _same(text, A)
    one[0] = 100  # results never share memory
    np.testing.assert_array_equal(two, A)


@pytest.mark.parametrize("type", [f"tuple<{V}>", "!stablehlo.token", FUTURE])
def test_entry_points_take_and_return_tensors(type: str) -> None:
    text = f"""func.func @main(%a: {type}) -> {V} {{
      %0 = stablehlo.constant dense<0.0> : {V}
      return %0 : {V}
    }}"""
    with pytest.raises(UnsupportedError, match=r"@main takes or returns"):
        shlo_tools.compile(text)
