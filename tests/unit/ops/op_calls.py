"""Calls of the seven ops that are hardest for the ``@op`` decorator.

One function per op is builder, result rule and verifier: reduce (variadic and a region), gather
(struct attribute), custom_call (everything optional), case (any number of regions), dot_general
(result element type), pad (arithmetic on dimensions), composite (a symbol).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools import mlir, ops
from shlo_tools.builder import Module
from shlo_tools.mlir import Operation


def add(a: Any, b: Any) -> Any:
    return ops.add(a, b)


def with_largest(a: Any, i: Any, b: Any, j: Any) -> Any:
    """Body of a variadic reduce: sums, and the largest of the integers."""
    return ops.add(a, b), ops.maximum(i, j)


GATHER: dict[str, Any] = {
    "offset_dims": (2, 3),
    "collapsed_slice_dims": (0,),
    "start_index_map": (1, 0),
    "index_vector_dim": 2,
    "slice_sizes": (1, 2, 2),
}


DOT: dict[str, Any] = {
    "lhs_batching_dimensions": (0,),
    "rhs_batching_dimensions": (0,),
    "lhs_contracting_dimensions": (2,),
    "rhs_contracting_dimensions": (1,),
}


PAD: dict[str, Any] = {
    "edge_padding_low": (0, 1),
    "edge_padding_high": (2, 1),
    "interior_padding": (1, 2),
}


# op -> argument types, builder call, and the function body that it stands for
BUILT: dict[str, tuple[tuple[str, ...], Callable[..., Any], str]] = {
    "reduce": (
        ("4x8xf32", "4x8xi32", "f32", "i32"),
        lambda x, i, x0, i0: ops.reduce((x, i), (x0, i0), (1,), with_largest),
        """
        %0:2 = "stablehlo.reduce"(%arg0, %arg1, %arg2, %arg3) ({
        ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          %m = stablehlo.maximum %i, %j : tensor<i32>
          stablehlo.return %s, %m : tensor<f32>, tensor<i32>
        }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>,
                                           tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
        return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>""",
    ),
    "gather": (
        ("3x4x2xi32", "2x3x2xi64"),
        lambda operand, indices: ops.gather(operand, indices, **GATHER),
        """
        %0 = "stablehlo.gather"(%arg0, %arg1) {
          dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0],
                                                start_index_map = [1, 0], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false
        } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
        return %0 : tensor<2x3x2x2xi32>""",
    ),
    "custom_call": (
        ("f64",),
        lambda x: ops.custom_call(
            (x,), "foo", ("f64", "!stablehlo.token"), False, {"bar": [1, "b"]}, 4
        ),
        """
        %0:2 = "stablehlo.custom_call"(%arg0) {
          call_target_name = "foo", has_side_effect = false, backend_config = {bar = [1, "b"]},
          api_version = 4 : i32
        } : (tensor<f64>) -> (tensor<f64>, !stablehlo.token)
        return %0#0, %0#1 : tensor<f64>, !stablehlo.token""",
    ),
    "case": (
        ("i32", "2xi64"),
        lambda index, x: ops.case(index, [lambda: (x, x), lambda: (ops.negate(x), x)]),
        """
        %0:2 = "stablehlo.case"(%arg0) ({
          stablehlo.return %arg1, %arg1 : tensor<2xi64>, tensor<2xi64>
        }, {
          %n = stablehlo.negate %arg1 : tensor<2xi64>
          stablehlo.return %n, %arg1 : tensor<2xi64>, tensor<2xi64>
        }) : (tensor<i32>) -> (tensor<2xi64>, tensor<2xi64>)
        return %0#0, %0#1 : tensor<2xi64>, tensor<2xi64>""",
    ),
    "dot_general": (
        ("2x3x4xi8", "2x4x5xi8"),
        lambda lhs, rhs: ops.dot_general(
            lhs,
            rhs,
            **DOT,
            precision_config=["HIGH", ops.Precision.DEFAULT],
            result_type="2x3x5xi32",
        ),
        """
        %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0],
          contracting_dims = [2] x [1], precision = [HIGH, DEFAULT]
          : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
        return %0 : tensor<2x3x5xi32>""",
    ),
    "pad": (
        ("2x3xi32",),
        lambda operand: ops.pad(operand, np.int32(7), **PAD),
        """
        %c = stablehlo.constant dense<7> : tensor<i32>
        %0 = "stablehlo.pad"(%arg0, %c) {
          edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
          interior_padding = array<i64: 1, 2>
        } : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
        return %0 : tensor<5x9xi32>""",
    ),
}


def argument_list(types: tuple[str, ...]) -> str:
    return ", ".join(f"%arg{i}: tensor<{t}>" for i, t in enumerate(types))


def attempt(types: tuple[str, ...], build: Callable[..., Any]) -> Module:
    module = Module()
    module.func(*types, name="main")(build)
    return module


def op_named(module: mlir.Module, name: str) -> Operation:
    """The op of that name in a module; the last one where there are several."""
    return [op for op in mlir.walk(module.operation) if op.name == f"stablehlo.{name}"][-1]


loose: Any = ops  # mypy would find these mistakes first
