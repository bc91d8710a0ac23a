"""Mistakes and the order of effects of custom calls, alike natively and in the reference."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from custom_call_routes import BOTH, Array, Compile, X, calling

import shlo_tools
from shlo_tools.errors import ExecutionError, ShloError, UnsupportedError

pytestmark = pytest.mark.usefixtures("own_registry")


# --- mistakes -------------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ((X, X), "returned 2 results, not 1"),
        (None, "returned 0 results, not 1"),
        (X.astype(np.float64), "returned a float64 array"),
        (X.astype(ml_dtypes.bfloat16), "returned a bfloat16 array"),
        (
            X[:1],
            r"returned a float32 array of shape \(1, 3\) as result 0, which is tensor<2x3xf32>",
        ),
    ],
)
def test_wrong_results_are_told(compile: Compile, returned: Any, message: str) -> None:
    shlo_tools.custom_call("f")(lambda x: returned)
    with pytest.raises(ExecutionError, match=f"-:2:.*custom_call 'f' {message}"):
        compile(calling())(X)


@BOTH
@pytest.mark.parametrize(
    "kind",
    [
        *(ValueError, KeyboardInterrupt, SystemExit, ShloError, ExecutionError),
        *(MemoryError, RecursionError),
    ],
)
def test_what_a_function_raises_leaves_as_it_is(compile: Compile, kind: Any) -> None:
    raised = kind("mine")
    fails = [True]

    @shlo_tools.custom_call("f")
    def f(x: Array) -> Array:
        if fails[0]:
            raise raised
        return x

    executable = compile(calling())
    with pytest.raises(kind) as caught:
        executable(X)
    assert caught.value is raised
    fails[0] = False
    np.testing.assert_array_equal(executable(X), X)  # it is as good as new


@BOTH
def test_unknown_targets_say_how_to_make_them_known(compile: Compile) -> None:
    with pytest.raises(UnsupportedError, match="'f' is not registered") as caught:
        compile(calling())(X)
    assert "register a function with @shlo_tools.custom_call('f')" in caught.value.render()


@BOTH
@pytest.mark.parametrize("target", ["Sharding", "mhlo.topk", "ApproxTopK", "lapack_spotrf_ffi"])
def test_a_registered_function_comes_before_what_is_built_in(compile: Compile, target: str) -> None:
    shlo_tools.custom_call(target)(lambda x: x + 3)
    np.testing.assert_array_equal(compile(calling().replace("@f", f"@{target}"))(X), X + 3)


# --- order ----------------------------------------------------------------------------------------
@BOTH
def test_effects_keep_their_order(compile: Compile) -> None:
    """Of calls with effects none is dropped, merged or moved, in branches and loops as well."""
    message: list[int] = []

    @shlo_tools.custom_call("say")
    def say(x: Array) -> None:
        message.append(int(x))

    call = "stablehlo.custom_call @say({}) {{has_side_effect = true}} : (tensor<i32>) -> ()"
    compile(f"""func.func @main(%p: tensor<i1>, %n: tensor<i32>) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      {call.format("%n")}
      {call.format("%n")}
      %0 = stablehlo.while(%i = %zero) : tensor<i32>
        cond {{
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          {call.format("%i")}
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j : tensor<i32>
        }}
      "stablehlo.if"(%p) ({{
        {call.format("%one")}
        stablehlo.return
      }}, {{
        {call.format("%zero")}
        stablehlo.return
      }}) : (tensor<i1>) -> ()
      {call.format("%n")}
      return
    }}""")(np.True_, np.int32(3))
    assert message == [3, 3, 0, 1, 2, 1, 3]
