"""Programs over tensors of unknown sizes: control flow, results, and what happens when they fail.

Each is compiled once and run for sizes 0, 1, odd and large. Expected values are the reference's or
numpy's.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ArgumentError, ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]
SIZES = (0, 1, 7, 1001)
V, M, N = "tensor<?xf32>", "tensor<?x?xf32>", "tensor<i32>"


def ramp(*shape: int) -> Array:
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    array.flags.writeable = False
    return array


def whole(number: int) -> Array:
    return np.array(number, np.int32)


def check(text: str, *calls: Sequence[Array]) -> None:
    """One executable gives the reference's results in all calls, in this order and back."""
    executable, peer = shlo_tools.compile(text), reference.compile(text)
    for arguments in (*calls, *reversed(calls)):
        before = [array.tobytes() for array in arguments]
        got, want = executable(*arguments), peer(*arguments)
        pairs = zip(*(r if isinstance(r, tuple) else (r,) for r in (got, want)), strict=True)
        for ours, theirs in pairs:
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)
        assert [array.tobytes() for array in arguments] == before


# --- results --------------------------------------------------------------------------------------
def test_arguments_and_values_returned_several_times() -> None:
    """Each result is an array of its own, and none is an argument's memory."""
    executable = shlo_tools.compile(f"""
      func.func @main(%x: {V}, %y: {M}) -> ({V}, {V}, {M}, {V}, {V}) {{
        %0 = stablehlo.add %x, %x : {V}
        return %x, %0, %y, %0, %x : {V}, {V}, {M}, {V}, {V}
      }}""")
    for size in SIZES:
        x, y = ramp(size), ramp(2, size)
        results = executable(x, y)
        for got, want in zip(results, (x, x + x, y, x + x, x), strict=True):
            np.testing.assert_array_equal(got, want)
        for i, result in enumerate(results):
            assert result.flags.writeable
            assert not any(np.shares_memory(result, other) for other in (x, y, *results[:i]))


def test_results_outlive_later_calls() -> None:
    executable = shlo_tools.compile(f"""func.func @main(%x: {V}) -> {V} {{
      %0 = stablehlo.negate %x : {V}
      return %0 : {V}
    }}""")
    kept = [executable(ramp(size)) for size in SIZES]
    for size, result in zip(SIZES, kept, strict=True):
        np.testing.assert_array_equal(result, -ramp(size))


def test_static_and_unknown_results_together() -> None:
    check(
        f"""func.func @main(%x: tensor<?x2xf32>, %s: tensor<2xi32>)
            -> (tensor<2xi32>, tensor<?x2xf32>, tensor<3xf32>, {M}, {N}) {{
          %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x2xf32>, tensor<2xi32>) -> {M}
          %n = stablehlo.get_dimension_size %0, dim = 1 : ({M}) -> {N}
          return %s, %x, %c, %0, %n : tensor<2xi32>, tensor<?x2xf32>, tensor<3xf32>, {M}, {N}
        }}""",
        *((ramp(n, 2), np.array([2, n], np.int32)) for n in SIZES),
    )


# --- control flow ---------------------------------------------------------------------------------
# Rows are doubled; a conditional takes them forwards or backwards, and cuts one off or does not.
CONDITIONALS = f"""
func.func @main(%x: {V}, %p: tensor<i1>, %which: {N}) -> {V} {{
  %0 = "stablehlo.if"(%p) ({{
    %1 = "stablehlo.case"(%which) ({{
      %2 = stablehlo.concatenate %x, %x, dim = 0 : ({V}, {V}) -> {V}
      stablehlo.return %2 : {V}
    }}, {{
      %2 = stablehlo.reverse %x, dims = [0] : {V}
      stablehlo.return %2 : {V}
    }}, {{
      stablehlo.return %x : {V}
    }}) : ({N}) -> {V}
    %3 = stablehlo.add %1, %1 : {V}
    stablehlo.return %3 : {V}
  }}, {{
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : ({V}) -> {N}
    %end = stablehlo.reshape %n : ({N}) -> tensor<1xi32>
    %4 = stablehlo.real_dynamic_slice %x, %one, %end, %one
      : ({V}, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> {V}
    stablehlo.return %4 : {V}
  }}) : (tensor<i1>) -> {V}
  return %0 : {V}
}}"""


def test_conditionals() -> None:
    calls = [(ramp(n), np.array(True), whole(i)) for n in SIZES for i in range(-1, 4)]
    check(CONDITIONALS, *calls, *((ramp(n), np.array(False), whole(0)) for n in SIZES[1:]))
    executable = shlo_tools.compile(CONDITIONALS)
    with pytest.raises(ShapeMismatchError, match="real_dynamic_slice"):
        executable(ramp(0), np.array(False), whole(0))  # there is no second element to start at


# Adds up rows of a matrix, once for each element of a vector: a loop within a loop.
NESTED = f"""
func.func @main(%x: {M}, %times: {V}) -> {V} {{
  %zero = stablehlo.constant dense<0> : {N}
  %one = stablehlo.constant dense<1> : {N}
  %rows = stablehlo.get_dimension_size %x, dim = 0 : ({M}) -> {N}
  %columns = stablehlo.get_dimension_size %x, dim = 1 : ({M}) -> {N}
  %count = stablehlo.get_dimension_size %times, dim = 0 : ({V}) -> {N}
  %shape = stablehlo.reshape %columns : ({N}) -> tensor<1xi32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.dynamic_broadcast_in_dim %none, %shape, dims = []
    : (tensor<f32>, tensor<1xi32>) -> {V}
  %0:2 = stablehlo.while(%i = %zero, %sum = %start) : {N}, {V} cond {{
    %p = stablehlo.compare LT, %i, %count : ({N}, {N}) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %factor = stablehlo.dynamic_slice %times, %i, sizes = [1] : ({V}, {N}) -> tensor<1xf32>
    %1 = stablehlo.reshape %factor : (tensor<1xf32>) -> tensor<f32>
    %many = stablehlo.dynamic_broadcast_in_dim %1, %shape, dims = []
      : (tensor<f32>, tensor<1xi32>) -> {V}
    %2:2 = stablehlo.while(%j = %zero, %inner = %sum) : {N}, {V} cond {{
      %p = stablehlo.compare LT, %j, %rows : ({N}, {N}) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }} do {{
      %at = stablehlo.reshape %j : ({N}) -> tensor<1xi32>
      %row = "stablehlo.gather"(%x, %at) {{dimension_numbers = #stablehlo.gather<
        offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>,
        slice_sizes = array<i64: 1, 3>}} : ({M}, tensor<1xi32>) -> tensor<3xf32>
      %part = stablehlo.dynamic_reshape %row, %shape : (tensor<3xf32>, tensor<1xi32>) -> {V}
      %scaled = stablehlo.multiply %part, %many : {V}
      %next = stablehlo.add %inner, %scaled : {V}
      %jj = stablehlo.add %j, %one : {N}
      stablehlo.return %jj, %next : {N}, {V}
    }}
    %ii = stablehlo.add %i, %one : {N}
    stablehlo.return %ii, %2#1 : {N}, {V}
  }}
  return %0#1 : {V}
}}"""


def test_loops_in_loops() -> None:
    executable = shlo_tools.compile(NESTED)
    for rows in (1, 2, 9):
        for count in (0, 1, 5, 100):
            x, times = ramp(rows, 3), ramp(count)
            expected = x.sum(axis=0) * times.sum()
            np.testing.assert_allclose(executable(x, times), expected, rtol=1e-5)
    assert executable(ramp(0, 3), ramp(4)).tolist() == [0, 0, 0]
    with pytest.raises(ShapeMismatchError, match=r"3 is more than .* = 2$"):
        executable(ramp(2, 2), ramp(1))  # rows of three are taken


GROWING = f"""
func.func @main(%x: {V}, %count: {N}) -> ({V}, {N}) {{
  %zero = stablehlo.constant dense<0> : {N}
  %one = stablehlo.constant dense<1> : {N}
  %0:2 = stablehlo.while(%i = %zero, %grown = %x) : {N}, {V} cond {{
    %p = stablehlo.compare LT, %i, %count : ({N}, {N}) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %number = stablehlo.convert %i : ({N}) -> tensor<f32>
    %last = stablehlo.reshape %number : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.concatenate %grown, %last, dim = 0 : ({V}, tensor<1xf32>) -> {V}
    %ii = stablehlo.add %i, %one : {N}
    stablehlo.return %ii, %1 : {N}, {V}
  }}
  %n = stablehlo.get_dimension_size %0#1, dim = 0 : ({V}) -> {N}
  return %0#1, %n : {V}, {N}
}}"""


def test_a_carried_tensor_grows() -> None:
    executable = shlo_tools.compile(GROWING)
    for size in SIZES:
        for count in (0, 1, 9, 300):
            grown, length = executable(ramp(size), whole(count))
            np.testing.assert_array_equal(grown, np.concatenate([ramp(size), ramp(count)]))
            assert length == size + count


def test_a_function_called_with_several_sizes() -> None:
    check(
        f"""func.func @main(%x: {V}, %y: {V}) -> ({V}, {V}) {{
          %0 = call @twice(%x) : ({V}) -> {V}
          %1 = call @twice(%0) : ({V}) -> {V}
          %2 = call @twice(%y) : ({V}) -> {V}
          return %1, %2 : {V}, {V}
        }}
        func.func private @twice(%x: {V}) -> {V} {{
          %0 = stablehlo.concatenate %x, %x, dim = 0 : ({V}, {V}) -> {V}
          return %0 : {V}
        }}""",
        *((ramp(n), ramp(m)) for n in SIZES for m in (0, 2)),
    )


# --- failures -------------------------------------------------------------------------------------
SUM = f"""func.func @main(%x: {V}, %y: {V}) -> {V} {{
  %0 = stablehlo.add %x, %y : {V}
  return %0 : {V}
}}"""


def test_sizes_that_differ() -> None:
    executable = shlo_tools.compile(SUM)
    for x, y in ((ramp(3), ramp(2)), (ramp(0), ramp(1)), (ramp(1), ramp(1001))):
        with pytest.raises(ShapeMismatchError) as raised:
            executable(x, y)
        (diagnostic,) = raised.value.diagnostics
        assert diagnostic.place is not None and diagnostic.place.line == 2
        assert diagnostic.message.startswith("stablehlo.add: ")
        assert diagnostic.message.endswith(f"arg1.0 = {len(y)} is not arg0.0 = {len(x)}")
        np.testing.assert_array_equal(executable(ramp(5), ramp(5)), ramp(5) * 2)
    with pytest.raises(ArgumentError):
        executable(ramp(2, 2), ramp(4))


def test_a_mismatch_deep_in_a_loop() -> None:
    """Sizes fit in the first iteration; what was computed until then is given up."""
    text = GROWING.replace(f"%count: {N})", f"%count: {N}, %y: {V})", 1)
    text = text.replace(
        "%ii = stablehlo.add", f"%2 = stablehlo.add %1, %y : {V}\n    %ii = stablehlo.add"
    )
    text = text.replace("stablehlo.return %ii, %1", "stablehlo.return %ii, %2")
    executable = shlo_tools.compile(text)
    x, y = ramp(5), ramp(6)
    for _ in range(2):
        np.testing.assert_array_equal(executable(x, whole(0), y)[0], x)
        np.testing.assert_array_equal(executable(x, whole(1), y)[0], np.append(x, 0) + y)
        with pytest.raises(
            ShapeMismatchError, match=r"-:12:.*stablehlo\.add: .* = 6 is not .* = 7$"
        ):
            executable(x, whole(3), y)


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        (SUM, (ramp(50_000), ramp(50_001)), (ramp(3), ramp(3))),
        (NESTED, (ramp(2, 2), ramp(9)), (ramp(2, 3), ramp(9))),
        (CONDITIONALS, (ramp(0), np.array(False), whole(0)), (ramp(4), np.array(True), whole(1))),
    ],
    ids=["sum", "loops", "conditionals"],
)
def test_ten_thousand_failures_in_constant_memory(
    text: str, wrong: Sequence[Array], right: Sequence[Array]
) -> None:
    executable = shlo_tools.compile(text)
    expected = executable(*right)

    def fail(times: int) -> None:
        for _ in range(times):
            try:
                executable(*wrong)
            except ExecutionError:
                continue
            raise AssertionError("the call did not fail")

    fail(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fail(9000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096, f"{grown} KiB more"
    np.testing.assert_array_equal(executable(*right), expected)


def test_sizes_beyond_memory_are_an_error() -> None:
    executable = shlo_tools.compile(f"""func.func @main(%s: tensor<2xi64>) -> {M} {{
      %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> {M}
      return %0 : {M}
    }}""")
    for sizes in ((2**40, 2**10), (2**59, 2**59), (2**32, 2**32), (-1, 3), (2**62, 1)):
        with pytest.raises(ExecutionError):
            executable(np.array(sizes, np.int64))
    np.testing.assert_array_equal(executable(np.array([2, 3])), [[0, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize(
    "put",
    [
        "stablehlo.concatenate %y, %z, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<5xf32>",
        """stablehlo.pad %y, %c, low = [1], high = [0], interior = [0]
          : (tensor<?xf32>, tensor<f32>) -> tensor<5xf32>""",
        """stablehlo.dynamic_update_slice %w, %y, %i
          : (tensor<5xf32>, tensor<?xf32>, tensor<i32>) -> tensor<5xf32>""",
    ],
)
def test_parts_are_not_written_before_they_are_known_to_fit(put: str) -> None:
    """12 MB in the memory of five numbers would end the process."""
    text = f"""func.func @main(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<5xf32> {{
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %i = stablehlo.constant dense<0> : tensor<i32>
      %v = stablehlo.constant dense<1.0> : tensor<5xf32>
      %y = stablehlo.exponential %x : tensor<?xf32>
      %w = stablehlo.cosine %v : tensor<5xf32>
      %r = {put}
      return %r : tensor<5xf32> }}"""
    fits = ramp(4), np.zeros(1, np.float32)
    check(text, fits)
    executable = shlo_tools.compile(text)
    with pytest.raises(ShapeMismatchError):
        executable(ramp(3_000_000), fits[1])


def test_results_are_not_written_before_they_are_known_to_fit() -> None:
    """That a result has one row is said by an op that comes after the one that makes it."""
    text = """func.func @main(%x: tensor<?x1xi32>, %p: tensor<i32>) -> tensor<?x?x?xi32> {
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x1xi32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %s = stablehlo.concatenate %one, %n1, %one, dim = 0
        : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
      %y = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2]
        : (tensor<?x1xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
      %z = stablehlo.dynamic_reshape %y, %s
        : (tensor<?x?x?xi32>, tensor<3xi32>) -> tensor<?x1x1xi32>
      %0:2 = "stablehlo.case"(%p) ({
        stablehlo.return %y, %y : tensor<?x?x?xi32>, tensor<?x?x?xi32>
      }) : (tensor<i32>) -> (tensor<?x?x?xi32>, tensor<?x?x?xi32>)
      return %0#1 : tensor<?x?x?xi32> }"""
    executable = shlo_tools.compile(text)
    np.testing.assert_array_equal(executable(np.array([[7]], np.int32), np.int32(0)), [[[7]]])
    with pytest.raises(ShapeMismatchError):
        executable(np.ones((3_000_000, 1), np.int32), np.int32(0))


def test_nothing_may_be_known_to_have_rows() -> None:
    """A slice cannot begin in a dimension without elements, not even one that takes all."""
    check(
        """func.func @main(%x: tensor<?x1x0xi1>, %n: tensor<1xi32>) -> tensor<?x1x0xi1> {
          %none = stablehlo.constant dense<0> : tensor<1xi32>
          %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x1x0xi1>) -> tensor<i32>
          %rows = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
          %s = stablehlo.concatenate %none, %rows, %n, %none, dim = 0
            : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
          %y = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2, 3]
            : (tensor<?x1x0xi1>, tensor<4xi32>) -> tensor<?x2x1x?xi1>
          %p = stablehlo.constant dense<0> : tensor<i32>
          %0:2 = "stablehlo.case"(%p) ({
            stablehlo.return %x, %x : tensor<?x1x0xi1>, tensor<?x1x0xi1>
          }) : (tensor<i32>) -> (tensor<?x1x0xi1>, tensor<?x1x0xi1>)
          return %0#1 : tensor<?x1x0xi1> }""",
        (np.zeros((2, 1, 0), bool), np.array([1], np.int32)),
    )


def test_a_branch_that_is_always_taken_tells_sizes() -> None:
    """Of a sum that fails if it runs, MLIR would say so while it compiles."""
    text = """func.func @main(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
      %false = stablehlo.constant dense<false> : tensor<i1>
      %two = stablehlo.constant dense<1.0> : tensor<2xf32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %y = stablehlo.dynamic_iota %one, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      %0:2 = stablehlo.while(%q = %p, %z = %x) : tensor<i1>, tensor<?xf32>
      cond {
        stablehlo.return %q : tensor<i1>
      } do {
        %1 = "stablehlo.if"(%false) ({
          stablehlo.return %z : tensor<?xf32>
        }, {
          stablehlo.return %y : tensor<?xf32>
        }) : (tensor<i1>) -> tensor<?xf32>
        %2 = stablehlo.remainder %two, %1 : (tensor<2xf32>, tensor<?xf32>) -> tensor<2xf32>
        stablehlo.return %false, %1 : tensor<i1>, tensor<?xf32>
      }
      return %0#1 : tensor<?xf32> }"""
    for executable in (shlo_tools.compile(text), shlo_tools.compile(text, probe=lambda hit: None)):
        np.testing.assert_array_equal(executable(ramp(3), np.array(False)), ramp(3))
        with pytest.raises(ShapeMismatchError):
            executable(ramp(3), np.array(True))
