"""Custom calls whose result sizes only their function knows: they are asked for after the call."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError, ShapeMismatchError, UnsupportedError

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Callable[..., Any]]
BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])


pytestmark = pytest.mark.usefixtures("own_registry")


def program(result: str = "tensor<?xf32>") -> str:
    return f"""func.func @main(%x: tensor<?xf32>) -> {result} {{
      %0 = stablehlo.custom_call @test.late(%x) : (tensor<?xf32>) -> {result}
      return %0 : {result}
    }}"""


def positive(x: Array) -> Array:
    return x[x > 0]


INPUTS = [np.array(row, np.float32) for row in ([1, -2, 3], [], [-1], [-1, 0], range(1000))]


@BOTH
def test_the_function_says_how_large_its_results_are(compile: Compile) -> None:
    shlo_tools.custom_call("test.late")(positive)
    run = compile(program())
    for x in INPUTS:
        np.testing.assert_array_equal(run(x), positive(x))


@BOTH
def test_ops_compute_with_such_results(compile: Compile) -> None:
    """Some results have known sizes, one is in a tuple, one is empty; two calls do not mix."""

    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> tuple[Array, Array, Array]:
        places = np.flatnonzero(x > 0).astype(np.int32)
        return np.array([x.size], np.int64), places, np.empty((0, len(places)), np.float32)

    types = "tensor<1xi64>, tuple<tensor<?xi32>, tensor<0x?xf32>>"
    run = compile(f"""func.func @main(%x: tensor<?xf32>)
        -> (tensor<1xi64>, tensor<?xi32>, tensor<0x?xf32>, tensor<?xi32>) {{
      %n = stablehlo.negate %x : tensor<?xf32>
      %0, %1 = stablehlo.custom_call @test.late(%x) : (tensor<?xf32>) -> ({types})
      %2, %3 = stablehlo.custom_call @test.late(%n) : (tensor<?xf32>) -> ({types})
      %a = stablehlo.get_tuple_element %1[0]
        : (tuple<tensor<?xi32>, tensor<0x?xf32>>) -> tensor<?xi32>
      %b = stablehlo.get_tuple_element %1[1]
        : (tuple<tensor<?xi32>, tensor<0x?xf32>>) -> tensor<0x?xf32>
      %c = stablehlo.get_tuple_element %3[0]
        : (tuple<tensor<?xi32>, tensor<0x?xf32>>) -> tensor<?xi32>
      %d = stablehlo.concatenate %a, %c, dim = 0
        : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
      %e = stablehlo.add %d, %d : tensor<?xi32>
      return %0, %a, %b, %e
        : tensor<1xi64>, tensor<?xi32>, tensor<0x?xf32>, tensor<?xi32>
    }}""")
    for x in INPUTS:
        up, down = np.flatnonzero(x > 0), np.flatnonzero(x < 0)
        size, places, none, doubled = run(x)
        assert size.tolist() == [x.size]
        assert places.tolist() == up.tolist()
        assert none.shape == (0, len(up))
        assert doubled.tolist() == (2 * np.concatenate([up, down])).tolist()


@BOTH
def test_in_a_loop(compile: Compile) -> None:
    """Halves a list until one is left: the loop's value shrinks."""

    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> Array:
        return x[::2]  # a view of the operand

    run = compile("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%v = %x) : tensor<?xf32>
      cond {
        %n = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
        %p = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %h = stablehlo.custom_call @test.late(%v) : (tensor<?xf32>) -> tensor<?xf32>
        %t = stablehlo.add %h, %h : tensor<?xf32>
        stablehlo.return %t : tensor<?xf32>
      }
      return %0 : tensor<?xf32>
    }""")
    assert run(np.arange(3, 103, dtype=np.float32)).tolist() == [3 * 2**7]
    assert run(np.array([5], np.float32)).tolist() == [5]
    assert run(np.array([], np.float32)).tolist() == []


@BOTH
def test_the_function_may_run_the_program_itself(compile: Compile) -> None:
    """What is kept of the outer call is not what is kept of the inner one."""
    run: Callable[..., Any]

    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> Array:
        if not x.size:
            return np.array([7], np.float32)
        inner = np.array(run(x[1:].copy()))
        return np.concatenate([x, inner])

    run = compile(program())
    assert run(np.array([1, 2, 3], np.float32)).tolist() == [1, 2, 3, 2, 3, 3, 7]


def test_threads_do_not_share_what_is_kept() -> None:
    barrier = threading.Barrier(4)

    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> Array:
        barrier.wait(timeout=20)
        return np.repeat(x, int(x[0]))

    run = shlo_tools.compile(program())
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        for _ in range(20):
            results[number] = run(np.array([number, 5], np.float32)).tolist()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [float(n)] * n + [5.0] * n for n in range(1, 5)}


# --- what is told wrong ---------------------------------------------------------------------------
@BOTH
def test_results_that_are_not_as_the_op_says(compile: Compile) -> None:
    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> Array:
        return np.zeros((len(x), 2), np.float32)

    with pytest.raises(ExecutionError, match=r"shape \(3, 2\) as result 0.*tensor<\?xf32>"):
        compile(program())(INPUTS[0])
    with pytest.raises(ExecutionError, match=r"shape \(3, 2\) as result 0.*tensor<\?x3xf32>"):
        compile(program("tensor<?x3xf32>"))(INPUTS[0])
    assert compile(program("tensor<?x2xf32>"))(INPUTS[0]).shape == (3, 2)


@BOTH
def test_sizes_beyond_their_bounds(compile: Compile) -> None:
    shlo_tools.custom_call("test.late")(positive)
    bounded = "tensor<?xf32, #stablehlo.bounds<2>>"
    run = compile(program(bounded))
    assert run(INPUTS[0]).tolist() == [1, 3]
    with pytest.raises(ExecutionError, match=r"shape \(3,\) as result 0.*bounds<2>"):
        run(np.array([1, 2, 3], np.float32))


def test_sizes_that_do_not_fit_the_ops_that_follow() -> None:
    shlo_tools.custom_call("test.late")(positive)
    run = shlo_tools.compile("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.custom_call @test.late(%x) : (tensor<?xf32>) -> tensor<?xf32>
      %1 = stablehlo.add %0, %x : tensor<?xf32>
      return %1 : tensor<?xf32>
    }""")
    assert run(np.array([1, 2], np.float32)).tolist() == [2, 4]
    with pytest.raises(ShapeMismatchError):
        run(INPUTS[0])
    assert run(np.array([1, 2], np.float32)).tolist() == [2, 4]


@BOTH
def test_what_the_function_raises_leaves_the_program(compile: Compile) -> None:
    @shlo_tools.custom_call("test.late")
    def late(x: Array) -> Array:
        if x.size > 2:
            raise KeyError("too many")
        return x

    run = compile(program())
    with pytest.raises(KeyError, match="too many"):
        run(INPUTS[0])
    assert run(INPUTS[2]).tolist() == [-1]


@BOTH
def test_functions_that_write_memory_need_to_be_told_sizes(compile: Compile) -> None:
    @shlo_tools.custom_call("test.late")
    def late(x: Array, *, outputs: Sequence[Array]) -> None:
        outputs[0][...] = 1

    with pytest.raises(UnsupportedError, match="sizes that only its function knows"):
        compile(program())(INPUTS[0])


@BOTH
def test_so_do_c_functions(compile: Compile) -> None:
    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    function = signature(lambda out, ins: None)
    shlo_tools.custom_call("test.late", address=function, api_version=1)
    with pytest.raises(UnsupportedError, match="sizes that only its function knows"):
        compile(program())(INPUTS[0])
