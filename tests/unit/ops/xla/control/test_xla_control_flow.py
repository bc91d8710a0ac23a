"""Calls, branches and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, module_of, refused

import shlo_tools
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ops import Tensor, Value, xla

V = np.arange(5, dtype=np.int32)


# --- calls ----------------------------------------------------------------------------------------
def difference(a: Tensor, b: Tensor) -> Tensor:
    return xla.Sub(a, b)


def test_call() -> None:
    check(
        lambda x: xla.Call(difference, x, [1, 1, 1, 1, 1]), (V.astype(np.int64),), V - np.int64(1)
    )
    check(lambda x: xla.Call(lambda y: (y, xla.Neg(y)), x), (V,), (V, -V))
    check(lambda x: xla.Add(x, xla.Call(lambda: xla.ConstantR0(3, "s32"))), (V,), V + 3)


def test_a_call_is_of_a_private_function_with_a_name_of_its_own() -> None:
    def main(x: Tensor) -> Any:
        return xla.Call(difference, xla.Call(difference, x, x), x)

    text = str(module_of(main, "5xi32"))
    assert "func.func private @_difference(" in text
    assert "func.func private @_difference_1(" in text
    assert "call @_difference(" in text


def test_calls_within_calls() -> None:
    """Functions have names of their own also while the one that calls them is being built."""

    def main(x: Tensor) -> Any:
        return xla.Call(lambda y: xla.Call(lambda z: xla.Neg(z), xla.Mul(y, 2)), x)

    check(main, (V,), V * -2)


def test_a_call_of_a_function_of_the_module() -> None:
    module = Module()
    double = module.func("5xi32", name="_double")(lambda x: xla.Add(x, x))
    module.func("5xi32", name="main")(lambda x: xla.Call(double, x))
    np.testing.assert_array_equal(shlo_tools.compile(module)(V), V * 2)
    assert str(module).count("func.func") == 2


def test_a_called_computation_uses_its_arguments_only() -> None:
    reason = refused(lambda x: xla.Call(lambda: x), "5xi32", error=VerifyError)
    assert "using value defined outside the region" in reason
    assert "test_xla_control_flow.py" in reason


def test_calls_that_are_none() -> None:
    assert "is given 1 arguments" in refused(lambda x: xla.Call(difference, x), "5xi32")
    with pytest.raises(ShloError, match="no function is being built"):
        xla.Call(lambda: 1.0, 2.0)
    with pytest.raises(ShloError, match="no function is being built"):
        xla.Call(lambda: 1.0)


# --- branches -------------------------------------------------------------------------------------
@pytest.mark.parametrize("flag", [True, False])
def test_conditional_of_two_computations(flag: bool) -> None:
    def main(pred: Tensor, x: Tensor) -> Any:
        return xla.Conditional(
            pred, x, lambda y: xla.Add(y, 1), (x, x), lambda state: xla.Mul(state[0], state[1])
        )

    check(main, (flag, V), V + 1 if flag else V * V)


@pytest.mark.parametrize(("index", "branch"), [(0, 0), (1, 1), (2, 2), (3, 2), (-1, 2)])
def test_conditional_of_many(index: int, branch: int) -> None:
    """An index out of range takes the last branch."""

    def main(i: Tensor, x: Tensor) -> Any:
        computations = [lambda y: y, xla.Neg, lambda y: xla.Mul(y, 7)]
        return xla.Conditional(i, computations, [x, x, x])

    check(main, (np.int32(index), V), [V, -V, V * 7][branch])


def test_conditional_with_tuples() -> None:
    def main(pred: Tensor, x: Tensor) -> Any:
        return xla.Conditional(
            pred,
            xla.Tuple(x, x),
            lambda state: (state[1], xla.Neg(state[0])),
            x,
            lambda y: xla.Tuple(y, y),
        )

    check(main, (True, V), (V, -V))
    check(main, (False, V), (V, V))


def test_functions_of_the_module_as_branches() -> None:
    module = Module()
    once = module.func("5xi32", name="_once")(lambda x: x)
    sums = module.func("5xi32", "5xi32", name="_sums")(xla.Add)
    pairs = module.func("tuple<tensor<5xi32>, tensor<5xi32>>", name="_pairs")(
        lambda pair: xla.Mul(xla.GetTupleElement(pair, 0), xla.GetTupleElement(pair, 1))
    )

    @module.func("i32", "5xi32")
    def main(i: Tensor, x: Tensor) -> Any:
        return xla.Conditional(i, [once, sums, pairs], [x, (x, x), (x, x)])

    assert main in module.functions
    executable = shlo_tools.compile(module)
    for index, expected in enumerate((V, V + V, V * V)):
        np.testing.assert_array_equal(executable(np.int32(index), V), expected)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda p, x: xla.Conditional(p, x), "2 arguments"),
        (lambda p, x: xla.Conditional(p, [], []), "0 computations and 0 operands"),
        (lambda p, x: xla.Conditional(1, [xla.Neg], [x, x]), "1 computations and 2 operands"),
        (lambda p, x: xla.Conditional(p, [xla.Neg], [x]), "I1"),
        (lambda p, x: xla.Conditional(x, x, xla.Neg, x, xla.Neg), "I1"),
        (lambda p, x: xla.Conditional(p, x, xla.Neg, x, lambda y: xla.Gt(y, 0)), "C2"),
        (lambda p, x: xla.Conditional(p, x, xla.Neg, x, lambda y, z: y), "is given 1 arguments"),
    ],
)
def test_conditionals_that_are_none(function: Any, reason: str) -> None:
    assert reason in refused(function, "i1", "5xi32")


# --- loops ----------------------------------------------------------------------------------------
def test_while_of_the_document() -> None:
    """The state is a tuple of a count and a sum; after 1000 rounds the sum is 1000 vectors."""

    def main(vector: Tensor) -> Any:
        return xla.While(
            lambda result: xla.Lt(result[0], 1000),
            lambda result: (xla.Add(result[0], 1), xla.Add(result[1], vector)),
            (xla.ConstantR0(0, "s32"), np.zeros(10, np.float32)),
        )

    vector = np.arange(10, dtype=np.float32)
    check(main, (vector,), (np.int32(1000), vector * 1000))


def test_while_of_one_value() -> None:
    def main(x: Tensor) -> Any:
        return xla.While(lambda y: xla.Lt(y, 100), lambda y: xla.Mul(y, 2), x)

    check(main, (np.float32(3),), np.float32(192))
    check(main, (np.float32(300),), np.float32(300))


def test_while_of_a_tuple_value() -> None:
    def main(x: Tensor) -> Any:
        def step(state: Any) -> Value:
            rest = xla.GetTupleElement(state, 0)
            return xla.Tuple(rest - 1, xla.GetTupleElement(state, 1))

        return xla.While(lambda state: xla.Gt(state[0], 0), step, xla.Tuple(x, V))

    check(main, (np.int32(3),), (np.int32(0), V))


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: xla.While(lambda y: y, xla.Neg, x), "C1"),
        (lambda x: xla.While(lambda y: True, lambda y: xla.Gt(y, 0), x), "C2"),
        (lambda x: xla.While(lambda y: True, lambda y: (y, y), x), "2 values, not 1"),
        (lambda x: xla.While(lambda y, z: True, xla.Neg, x), "is given 1 arguments"),
    ],
)
def test_loops_that_are_none(function: Any, reason: str) -> None:
    assert reason in refused(function, "5xf32")
