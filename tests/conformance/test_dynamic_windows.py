"""Windows, scans and batch normalization of sizes known at run time only, against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ShapeMismatchError

Array = np.ndarray[Any, Any]
HALF = np.array(0.5, np.float32)
SHAPES = ((30, 41), (5, 7), (0, 3), (3, 0), (1, 1), (2, 2))


def _noise(*shape: int, seed: int = 0) -> Array:
    """Multiples of 1/8: sums of few of them are exact."""
    random = np.random.default_rng([seed, *shape])
    return (random.integers(-64, 65, shape) / 8).astype(np.float32)


def _check(text: str, calls: Sequence[Sequence[Array]], tolerance: float = 0.0) -> None:
    """One program for all calls."""
    executable, expected = shlo_tools.compile(text), reference.compile(text)
    for operands in calls:
        before = [x.copy() for x in operands]
        got, target = executable(*operands), expected(*operands)
        pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (got, target)), strict=True)
        for a, b in pairs:
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        for x, old in zip(operands, before, strict=True):
            np.testing.assert_array_equal(x, old)


# --- reduce_window --------------------------------------------------------------------------------
def _reduce_window(fold: str, attributes: str, type: str = "tensor<?x?xf32>") -> str:
    return f"""func.func @main(%x: {type}, %init: tensor<f32>) -> {type} {{
      %0 = "stablehlo.reduce_window"(%x, %init) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.{fold} %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }}) {{{attributes}}} : ({type}, tensor<f32>) -> {type}
      return %0 : {type}
    }}"""


def _array(name: str, values: Sequence[int]) -> str:
    return f"{name} = array<i64: {', '.join(map(str, values))}>"


def _padding(rows: list[list[int]]) -> str:
    return f"padding = dense<{rows}> : tensor<{len(rows)}x2xi64>"


WINDOWS = {
    "plain": _array("window_dimensions", [2, 3]),
    "strided and padded": ", ".join(
        (
            _array("window_dimensions", [2, 3]),
            _array("window_strides", [2, 1]),
            _padding([[1, 0], [1, 1]]),
        )
    ),
    "dilated and cut": ", ".join(
        (
            _array("window_dimensions", [2, 1]),
            _array("base_dilations", [2, 3]),
            _array("window_dilations", [2, 1]),
            _padding([[1, -1], [-1, 1]]),
        )
    ),
    "of one element": ", ".join(
        (_array("window_dimensions", [1, 1]), _array("window_strides", [1, 2]))
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("fold", ["add", "maximum"])
def test_reduce_window(name: str, fold: str) -> None:
    _check(_reduce_window(fold, WINDOWS[name]), [(_noise(*shape), HALF) for shape in SHAPES])


def test_computations_of_any_op() -> None:
    """What is no scalar code is loops around it."""
    text = """func.func @main(%x: tensor<?x?xf32>, %init: tensor<f32>) -> tensor<?x?xf32> {
      %0 = "stablehlo.reduce_window"(%x, %init) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %1 = "stablehlo.if"(%p) ({
          stablehlo.return %a : tensor<f32>
        }, {
          %2 = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %2 : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {window_dimensions = array<i64: 2, 2>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }"""
    _check(text, [(_noise(*shape), HALF) for shape in SHAPES])


@pytest.mark.parametrize("padding", [[6, 0], [0, 6]], ids=["forward", "reverse"])
@pytest.mark.parametrize("type", ["tensor<?x7xf32>", "tensor<7x?xf32>"])
def test_scans(padding: list[int], type: str) -> None:
    """Windows over a whole dimension, of rows whose number is not known."""
    along = 1 if type.startswith("tensor<?") else 0
    sizes, rows = [1, 1], [[0, 0], [0, 0]]
    sizes[along], rows[along] = 7, padding
    text = _reduce_window("add", f"{_array('window_dimensions', sizes)}, {_padding(rows)}", type)
    calls = []
    for n in (33, 5, 0, 1):
        shape = [n, n]
        shape[along] = 7
        calls.append((_noise(*shape), HALF))
    _check(text, calls)


# --- select_and_scatter ---------------------------------------------------------------------------
def _select_and_scatter(padding: list[list[int]]) -> str:
    type = "tensor<?x?xf32>"
    return f"""func.func @main(%x: {type}, %s: {type}, %init: tensor<f32>) -> {type} {{
      %0 = "stablehlo.select_and_scatter"(%x, %s, %init) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }}, {{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }}) {{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>,
           {_padding(padding)}}} : ({type}, {type}, tensor<f32>) -> {type}
      return %0 : {type}
    }}"""


PADDINGS = ([[0, 0], [0, 0]], [[0, 1], [1, 1]], [[2, 3], [3, 4]], [[0, 4], [1, 5]])


@pytest.mark.parametrize("padding", PADDINGS)
def test_select_and_scatter(padding: list[list[int]]) -> None:
    """Windows that lie in the padding altogether select nothing."""
    calls = []
    for shape in ((31, 40), (5, 7), (3, 3), (2, 9)):
        rows = zip(shape, padding, (2, 3), strict=True)
        source = [max((n + low + high - size) // 2 + 1, 0) for n, (low, high), size in rows]
        calls.append((_noise(*shape), _noise(*source, seed=1), HALF))
    _check(_select_and_scatter(padding), calls)


def test_sources_that_do_not_fit() -> None:
    executable = shlo_tools.compile(_select_and_scatter([[0, 0], [0, 0]]))
    with pytest.raises(ShapeMismatchError, match=r"stablehlo.select_and_scatter: .* = 3"):
        executable(_noise(6, 7), _noise(3, 2), HALF)
    assert executable(_noise(6, 7), _noise(3, 3), HALF).shape == (6, 7)


# --- batch normalization --------------------------------------------------------------------------
OPERANDS = {
    "batch_norm_training": ("x", "scale", "offset"),
    "batch_norm_inference": ("x", "scale", "offset", "mean", "variance"),
    "batch_norm_grad": ("x", "scale", "mean", "variance", "gradient"),
}


def _batch_norm(name: str, axis: int) -> str:
    tensor, vector = "tensor<?x?x?xf32>", "tensor<?xf32>"
    types = [tensor if o in ("x", "gradient") else vector for o in OPERANDS[name]]
    results = [tensor] if name == "batch_norm_inference" else [tensor, vector, vector]
    arguments = ", ".join(f"%{o}: {t}" for o, t in zip(OPERANDS[name], types, strict=True))
    values = ", ".join(f"%r#{i}" for i in range(len(results)))
    return f"""func.func @main({arguments}) -> ({", ".join(results)}) {{
      %r:{len(results)} = "stablehlo.{name}"({", ".join("%" + o for o in OPERANDS[name])}) {{
        epsilon = 0.001 : f32, feature_index = {axis} : i64
      }} : ({", ".join(types)}) -> ({", ".join(results)})
      return {values} : {", ".join(results)}
    }}"""


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_batch_normalization(name: str, axis: int) -> None:
    """Without elements a feature's mean is NaN, as 0 / 0 is."""
    calls = []
    for shape in ((20, 3, 31), (2, 3, 4), (0, 2, 3), (3, 2, 0), (1, 1, 1), (3, 0, 2)):
        result = [
            _noise(*shape, seed=i) if o in ("x", "gradient") else _noise(shape[axis], seed=i)
            for i, o in enumerate(OPERANDS[name])
        ]
        positive = [
            abs(v) + 1 if o == "variance" else v
            for v, o in zip(result, OPERANDS[name], strict=True)
        ]
        calls.append(positive)
    _check(_batch_norm(name, axis), calls, tolerance=2e-4)
