"""Moves of elements that registers hold otherwise than memory does: complex and short floats."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

TYPES = {
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
X, U, N = "tensor<70x80xT>", "tensor<5x80xT>", "tensor<5x1xi32>"
ROWS = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
COLUMNS = ROWS.replace("[1]", "[2]").replace("[0]", "[1]").replace("[2]", "[0]")
WINDOWS = (
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1"
)
SORT = """"stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    %c = stablehlo.compare LT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {is_stable = true, """
OPS = {
    "transposition": (f"stablehlo.transpose %x, dims = [1, 0] : ({X}) -> R", "80x70"),
    "reverse": (f"stablehlo.reverse %x, dims = [1] : {X}", "70x80"),
    "rows": (
        f'"stablehlo.gather"(%x, %i) {{dimension_numbers = #stablehlo.gather<{ROWS}>, '
        f"slice_sizes = array<i64: 1, 80>}} : ({X}, {N}) -> R",
        "5x80",
    ),
    "columns": (
        f'"stablehlo.gather"(%x, %i) {{dimension_numbers = #stablehlo.gather<{COLUMNS}>, '
        f"slice_sizes = array<i64: 70, 1>}} : ({X}, {N}) -> R",
        "70x5",
    ),
    "scatter": (
        f""""stablehlo.scatter"(%x, %i, %u) ({{
          ^bb0(%a: tensor<T>, %b: tensor<T>):
            %c = stablehlo.add %a, %b : tensor<T>
            stablehlo.return %c : tensor<T>
          }}) {{scatter_dimension_numbers = #stablehlo.scatter<{WINDOWS}>}}
            : ({X}, {N}, {U}) -> R""",
        "70x80",
    ),
    "update": (
        "stablehlo.dynamic_update_slice %x, %u, %k, %k"
        f" : ({X}, {U}, tensor<i32>, tensor<i32>) -> R",
        "70x80",
    ),
    "concatenation": (f"stablehlo.concatenate %x, %u, dim = 0 : ({X}, {U}) -> R", "75x80"),
    "sorted rows": (f"{SORT} dimension = 1 : i64}} : ({X}) -> R", "70x80"),
    "sorted columns": (f"{SORT} dimension = 0 : i64}} : ({X}) -> R", "70x80"),
}


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", OPS)
def test_a_move(name: str, type: str) -> None:
    op, shape = OPS[name]
    text = f"""func.func @main(%x: {X}, %i: {N}, %u: {U}) -> R {{
      %k = stablehlo.constant dense<3> : tensor<i32>
      %0 = {op}
      return %0 : R
    }}"""
    text = text.replace("tensor<T>", f"tensor<{type}>").replace("xT>", f"x{type}>")
    text = text.replace("R", f"tensor<{shape}x{type}>")
    rng = np.random.default_rng(0)
    x, u = (rng.integers(0, 9, (n, 80)).astype(np.float32) for n in (70, 5))
    imaginary = rng.integers(0, 3, (70, 80)) * (1j if type.startswith("complex") else 0)
    dtype = TYPES[type]
    x = (x + imaginary).astype(dtype) if imaginary.any() else x.astype(dtype)
    assert_staged(text, x, rng.integers(-1, 82, (5, 1)).astype(np.int32), u.astype(dtype))
