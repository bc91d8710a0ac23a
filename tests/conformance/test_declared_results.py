"""Results of known sizes whose operands have unknown ones: calls whose sizes do not fit say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError

F32 = "tensor<?x?xf32>"
GROUPS = "replica_groups = dense<0> : tensor<1x1xi64>"
SUM = """({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""
RAGGED = """ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1],
  rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>"""

# What is written of an op behind its name, the types of its operands and its result, and shapes of
# operands: some that fit, and others that do not.
Shapes = Sequence[tuple[int, ...]]
OPS: dict[str, tuple[str, Sequence[str], str, Shapes, Sequence[Shapes]]] = {
    "stablehlo.dot": (
        *("", (F32, F32), "tensor<2x3xf32>"),
        *([(2, 5), (5, 3)], [[(4, 5), (5, 3)], [(2, 5), (5, 4)], [(2, 4), (5, 3)]]),
    ),
    "stablehlo.einsum": (
        *('{einsum_config = "ij,jk->ik"}', (F32, F32), "tensor<2x3xf32>"),
        *([(2, 5), (5, 3)], [[(4, 5), (5, 3)], [(2, 5), (5, 4)], [(2, 4), (5, 3)]]),
    ),
    "stablehlo.unary_einsum": (
        *('{einsum_config = "ij->i"}', (F32,), "tensor<2xf32>"),
        *([(2, 5)], [[(4, 5)], [(0, 5)]]),
    ),
    "stablehlo.torch_index_select": (
        *("{dim = 0 : i64, batch_dims = 0 : i64}", (F32, "tensor<?xi32>"), "tensor<2x3xf32>"),
        *([(4, 3), (2,)], [[(4, 5), (2,)], [(4, 3), (3,)]]),
    ),
    "stablehlo.all_gather": (
        *(f"{{all_gather_dim = 0 : i64, {GROUPS}}}", (F32,), "tensor<2x3xf32>"),
        *([(2, 3)], [[(2, 5)], [(3, 3)]]),
    ),
    "stablehlo.reduce_scatter": (
        *(f"{SUM} {{scatter_dimension = 0 : i64, {GROUPS}}}", (F32,), "tensor<2x3xf32>"),
        *([(2, 3)], [[(2, 5)], [(4, 3)]]),
    ),
    "chlo.ragged_dot": (
        *(f"{{{RAGGED}}}", (F32, "tensor<?x?x?xf32>", "tensor<?xi64>"), "tensor<4x3xf32>"),
        [(4, 2), (2, 2, 3), (2,)],
        [[(5, 2), (2, 2, 3), (2,)], [(4, 2), (2, 2, 4), (2,)], [(4, 2), (2, 2, 3), (3,)]],
    ),
}


def _arrays(types: Sequence[str], shapes: Shapes) -> list[Any]:
    dtypes = (
        np.float32 if "f32" in type else np.int32 if "i32" in type else np.int64 for type in types
    )
    return [np.ones(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize("name", OPS)
def test_sizes_that_a_result_has_not(name: str, backend: Literal["native", "reference"]) -> None:
    rest, types, result, fits, others = OPS[name]
    arguments = [f"%arg{k}" for k in range(len(types))]
    signature = ", ".join(f"{a}: {type}" for a, type in zip(arguments, types, strict=True))
    text = f"""func.func @main({signature}) -> {result} {{
      %0 = "{name}"({", ".join(arguments)}) {rest} : ({", ".join(types)}) -> {result}
      return %0 : {result}
    }}"""
    executable = shlo_tools.compile(text, backend=backend)
    arrays = _arrays(types, fits)
    exact = shlo_tools.interpret(text, *arrays)
    np.testing.assert_allclose(executable(*arrays), exact, rtol=1e-6)
    for shapes in others:
        with pytest.raises(ShloError):
            executable(*_arrays(types, shapes))
