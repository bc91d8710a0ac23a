"""Tuples, custom calls, and what StableHLO has no op for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import Array, check, module_of, refused

import shlo_tools
from shlo_tools.builder import Module
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import Tensor, xla

V = np.arange(5, dtype=np.int32)


# --- tuples ---------------------------------------------------------------------------------------
def test_tuples() -> None:
    check(lambda x: xla.GetTupleElement(xla.Tuple(x, 5), 0), (V,), V)
    check(lambda x: xla.GetTupleElement((x, xla.Neg(x)), 1), (V,), -V)
    assert "has no member 2" in refused(lambda x: xla.GetTupleElement(xla.Tuple(x, x), 2), "f32")
    assert "no member 2 of 2" in refused(lambda x: xla.GetTupleElement((x, x), 2), "f32")
    assert "is no tuple" in refused(lambda x: xla.GetTupleElement(x, 0), "f32")
    assert "is no tuple" in refused(lambda x: xla.GetTupleElement(5, 0), "f32")


def test_optimization_barrier() -> None:
    check(lambda x: xla.OptimizationBarrier((x, xla.Neg(x))), (V,), (V, -V))
    check(xla.OptimizationBarrier, (V,), V)
    text = str(module_of(xla.OptimizationBarrier, "5xi32"))
    assert "stablehlo.optimization_barrier" in text


# --- custom calls ---------------------------------------------------------------------------------
@shlo_tools.custom_call("xla_test_myfunc")
def _myfunc(x: Array, y: Array) -> Array:
    """The document's function, with the rest of its result 0."""
    z = np.zeros((3, 3), np.float32)
    z[0, 0] = x[1] + y[1, 0]
    return z


def test_custom_call_of_the_document() -> None:
    x, y = np.array([1, 2], np.float32), np.array([[10, 20, 30], [40, 50, 60]], np.float32)
    expected = np.zeros((3, 3), np.float32)
    expected[0, 0] = 42
    check(lambda a, b: xla.CustomCall("xla_test_myfunc", [a, b], "f32[3,3]"), (x, y), expected)


@shlo_tools.custom_call("xla_test_pair")
def _pair(x: Array, *, attributes: dict[str, Any]) -> tuple[Array, Array]:
    return x * np.int32(attributes["factor"]), -x


def test_custom_call_of_several_results() -> None:
    def main(x: Tensor) -> Any:
        return xla.CustomCall(
            "xla_test_pair", [x], ["s32[5]", "5xi32"], {"factor": 3}, api_version=4
        )

    check(main, (V,), (V * 3, -V))


def test_custom_call_with_computation() -> None:
    @shlo_tools.custom_call("xla_test_twice")
    def _twice(x: Array, *, called_computations: Any) -> Array:
        (computation,) = called_computations
        return np.asarray(computation(computation(x)))

    def main(x: Tensor) -> Any:
        return xla.CustomCallWithComputation(
            "xla_test_twice", [x], lambda y: xla.Mul(y, 3), "s32[5]"
        )

    check(main, (V,), V * 9)
    module = Module()
    negated = module.func("5xi32", name="_negated")(xla.Neg)

    @module.func("5xi32")
    def other(x: Tensor) -> Any:
        return xla.CustomCallWithComputation("f", [x], negated, "s32[5]")

    assert f"called_computations = [@{negated}]" in str(module)
    assert other in module.functions


def test_composite_call() -> None:
    def difference(x: Tensor, y: Tensor) -> Tensor:
        return xla.Sub(x, y)

    def main(x: Tensor) -> Any:
        return xla.CompositeCall(difference, [x, V[::-1].copy()], "my.difference", {"n": 1}, 2)

    check(main, (V,), V - V[::-1])
    text = str(module_of(main, "5xi32"))
    assert 'stablehlo.composite "my.difference"' in text
    assert "func.func private @_difference" in text
    assert "version = 2" in text
    check(lambda x: xla.CompositeCall(lambda y: (y, xla.Neg(y)), [x], "my.pair"), (V,), (V, -V))
    assert "C1" in refused(lambda x: xla.CompositeCall(xla.Neg, [x], "pair"), "5xi32")


# --- what StableHLO has no op for -----------------------------------------------------------------
@pytest.mark.parametrize(
    "function",
    [
        xla.AsyncUpdate,
        xla.DynamicConvInputGrad,
        xla.DynamicConvKernelGrad,
        xla.RaggedAllToAll,
        xla.RngGetAndUpdateState,
        xla.ScaledDot,
        xla.SparseDot,
        xla.StochasticConvertType,
        lambda x: xla.RemoveDynamicDimension(x, 0),
        xla.RecvDone,
        xla.SendDone,
    ],
)
def test_what_stablehlo_has_no_form_for(function: Any) -> None:
    assert "StableHLO" in refused(function, "5xf32", error=UnsupportedError)
