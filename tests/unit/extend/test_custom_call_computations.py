"""``called_computations``: functions of the program, called by the function of a target.

Compiled programs and the reference must agree on all of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, reference
from shlo_tools.cpu.executable import select_function
from shlo_tools.errors import (
    ArgumentError,
    ExecutionError,
    ExecutionTimeout,
    UnsupportedError,
)
from shlo_tools.pipeline.runner import Pipeline

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Any]

BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])
X = np.arange(4, dtype=np.float32)


pytestmark = pytest.mark.usefixtures("own_registry")


def calling(functions: str, called: str, type: str = "4xf32") -> str:
    """A program that hands some of its functions to the target ``apply``."""
    return f"""
      func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
        %0 = stablehlo.custom_call @apply(%x) {{called_computations = [{called}]}}
          : (tensor<{type}>) -> tensor<{type}>
        return %0 : tensor<{type}>
      }}
      {functions}"""


DOUBLE = """func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
SQUARE = """func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  stablehlo.return %0 : tensor<4xf32>
}"""


@BOTH
def test_computations_are_given_in_order(compile: Compile) -> None:
    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        first, second = called_computations
        assert [f.name for f in called_computations] == ["square", "double"]
        assert str(first.signature) == "(tensor<4xf32>) -> (tensor<4xf32>)"
        squared: Array = first(x)
        doubled: Array = second(squared)
        np.testing.assert_array_equal(squared, x * x)  # it is not reused
        return doubled + x

    executable = compile(calling(DOUBLE + SQUARE, "@square, @double"))
    x = X.copy()
    np.testing.assert_array_equal(executable(x), 2 * X * X + X)
    np.testing.assert_array_equal(x, X)


@BOTH
def test_computations_do_not_write_what_they_are_given(compile: Compile) -> None:
    """The update below is done in place where its operand may be written."""
    update = """func.func private @update(%x: tensor<4xf32>) -> tensor<4xf32> {
      %at = stablehlo.constant dense<1> : tensor<i32>
      %new = stablehlo.constant dense<9.0> : tensor<1xf32>
      %0 = stablehlo.dynamic_update_slice %x, %new, %at
        : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""

    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        inputs = x + 1
        updated: Array = called_computations[0](inputs)
        np.testing.assert_array_equal(inputs, x + 1)
        np.testing.assert_array_equal(called_computations[0](x)[1], 9)
        return updated

    executable = compile(calling(update, "@update"))
    np.testing.assert_array_equal(executable(X), [1, 9, 3, 4])


@BOTH
def test_several_results_unsigned_types_and_constants(compile: Compile) -> None:
    """What lowering changes: ``ui32`` is signless below, large constants live outside the code."""
    table = np.arange(2000, dtype=np.uint32)[::-1].copy()
    functions = f"""func.func private @look(%i: tensor<ui32>) -> (tensor<ui32>, tensor<i1>) {{
      %table = stablehlo.constant dense<"0x{table.tobytes().hex()}"> : tensor<2000xui32>
      %0 = stablehlo.dynamic_slice %table, %i, sizes = [1]
        : (tensor<2000xui32>, tensor<ui32>) -> tensor<1xui32>
      %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
      %2 = stablehlo.constant dense<3000000000> : tensor<ui32>
      %3 = stablehlo.compare LT, %1, %2 : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      return %1, %3 : tensor<ui32>, tensor<i1>
    }}"""

    @shlo_tools.custom_call("apply")
    def apply(i: Array, *, called_computations: Any) -> Array:
        results, small = called_computations[0](i)
        assert results.dtype == np.uint32 and small.dtype == np.bool_ and small
        result: Array = results
        return result

    executable = compile(calling(functions, "@look", "ui32"))
    assert executable(np.uint32(7)) == table[7]


@BOTH
def test_computations_may_call_the_target_again(compile: Compile) -> None:
    """A computation with a custom call of its own, to another function."""
    shlo_tools.custom_call("increment")(lambda x: x + 1)

    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        result: Array = called_computations[0](called_computations[0](x))
        return result

    inner = """func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @increment(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }"""
    np.testing.assert_array_equal(compile(calling(inner, "@inner"))(X), ((X + 1) * 2 + 1) * 2)


@BOTH
def test_wrong_arguments_are_told(compile: Compile) -> None:
    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        result: Array = called_computations[0](x.astype(np.float64))
        return result

    with pytest.raises(ArgumentError, match="float64 given, float32"):
        compile(calling(DOUBLE, "@double"))(X)


@BOTH
def test_errors_of_a_computation_pass_through(compile: Compile) -> None:
    failing = """func.func private @failing(%x: tensor<4xf32>) -> tensor<4xf32> {
      %no = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.custom_call @shape_assertion(%no) {error_message = "never"} : (tensor<i1>) -> ()
      return %x : tensor<4xf32>
    }"""

    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        with pytest.raises(ExecutionError, match="never"):
            called_computations[0](x)
        result: Array = called_computations[0](x)
        return result

    with pytest.raises(ExecutionError, match="never"):
        compile(calling(failing, "@failing"))(X)


ENDLESS = """func.func private @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.while(%y = %x) : tensor<4xf32>
    cond {
      %true = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %true : tensor<i1>
    } do {
      %next = stablehlo.add %y, %y : tensor<4xf32>
      stablehlo.return %next : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}"""


@BOTH
def test_a_timeout_reaches_computations(compile: Compile) -> None:
    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        result: Array = called_computations[0](x)
        return result

    executable = compile(calling(ENDLESS, "@endless"))
    start = time.monotonic()
    with pytest.raises(ExecutionTimeout):
        executable(X, timeout=0.2)
    assert time.monotonic() - start < 5
    double = compile(DOUBLE.replace("private @double", "@main"))
    np.testing.assert_array_equal(double(X), 2 * X)  # no deadline is left behind


def test_a_timeout_counts_for_programs_called_on_the_way() -> None:
    """The time of a call is that of all that it does; it is over with the call."""
    endless = shlo_tools.compile(ENDLESS.replace("private @endless", "@main"))

    @shlo_tools.custom_call("apply")
    def apply(x: Array) -> Array:
        with pytest.raises(ExecutionTimeout):
            endless(x, timeout=60)
        return x

    executable = shlo_tools.compile(calling("", ""))
    start = time.monotonic()
    executable(X, timeout=0.2)
    assert time.monotonic() - start < 5
    double = shlo_tools.compile(DOUBLE.replace("private @double", "@main"))
    time.sleep(0.2)
    np.testing.assert_array_equal(double(X), 2 * X)


def test_computations_in_several_threads() -> None:
    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        for _ in range(20):
            y: Array = called_computations[0](x)
            np.testing.assert_array_equal(y, 2 * x)
        return y

    executable = shlo_tools.compile(calling(DOUBLE, "@double"))
    wrong: list[int] = []

    def work(number: int) -> None:
        if executable(np.full(4, number, np.float32)).tolist() != [2.0 * number] * 4:
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_computations_outlive_the_executable() -> None:
    kept: list[Any] = []

    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any) -> Array:
        kept.extend(called_computations)
        return x

    shlo_tools.compile(calling(DOUBLE, "@double"))(X)
    np.testing.assert_array_equal(kept[0](X), 2 * X)


@BOTH
@pytest.mark.parametrize(
    ("functions", "called", "message"),
    [
        ("func.func private @declared(tensor<4xf32>) -> tensor<4xf32>", "@declared", "@declared"),
        ("", "@nobody", "@nobody"),
    ],
)
def test_functions_without_body_are_refused(
    compile: Compile, functions: str, called: str, message: str
) -> None:
    shlo_tools.custom_call("apply")(lambda x: x)
    with pytest.raises((UnsupportedError, shlo_tools.errors.VerifyError), match=message):
        compile(calling(functions, called))


def test_computations_on_other_than_static_tensors_are_refused() -> None:
    shlo_tools.custom_call("apply")(lambda x: x)
    token = """func.func private @token(%t: !stablehlo.token) -> !stablehlo.token {
      return %t : !stablehlo.token
    }"""
    with pytest.raises(UnsupportedError, match=r"@token takes or returns !stablehlo.token"):
        shlo_tools.compile(calling(token, "@token"))


def test_a_lowered_program_says_all_that_its_calls_need() -> None:
    """What an op says, and the computations it names, survive as text of the llvm dialect."""
    calls: list[Any] = []

    @shlo_tools.custom_call("apply")
    def apply(x: Array, *, called_computations: Any, op_attributes: Any) -> Array:
        calls.append(op_attributes)
        result: Array = called_computations[0](x)
        return result

    with_word = calling(DOUBLE, "@double").replace("{called", "{my.word = 3 : i64, called", 1)
    with mlir.library_context():
        module = shlo_tools.load(with_word)
        select_function(module, "main")
        Pipeline("builtin.module(shlo-to-llvm)").run(module)
        lowered = str(module)
    np.testing.assert_array_equal(shlo_tools.compile(lowered)(X), 2 * X)
    assert calls == [{"my.word": 3}]
