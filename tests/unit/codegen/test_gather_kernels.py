"""Gathers of every form, by kernels."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

# operand, indices, result, dimension numbers, slice sizes
FORMS = {
    "rows": ((9, 70), (5, 1), (5, 70), "offset_dims = [1], collapsed_slice_dims = [0], "
             "start_index_map = [0], index_vector_dim = 1", (1, 70)),
    "parts of rows": ((9, 70), (5, 2), (5, 33), "offset_dims = [1], collapsed_slice_dims = [0], "
                      "start_index_map = [0, 1], index_vector_dim = 1", (1, 33)),
    "numbers": ((100,), (65, 1), (65,), "collapsed_slice_dims = [0], start_index_map = [0], "
                "index_vector_dim = 1", (1,)),
    "numbers of implicit vectors": ((100,), (3, 7), (3, 7), "collapsed_slice_dims = [0], "
                                    "start_index_map = [0], index_vector_dim = 2", (1,)),
    "swapped components": ((9, 70), (2, 31), (31,), "collapsed_slice_dims = [0, 1], "
                           "start_index_map = [1, 0], index_vector_dim = 0", (1, 1)),
    "windows in front": ((9, 70), (3, 2, 2), (2, 3, 4, 2), "offset_dims = [0, 2], "
                         "start_index_map = [0, 1], index_vector_dim = 2", (2, 4)),
    "batches": ((3, 9, 7), (5, 3, 1), (5, 3, 7), "offset_dims = [2], "
                "collapsed_slice_dims = [1], operand_batching_dims = [0], "
                "start_indices_batching_dims = [1], start_index_map = [1], "
                "index_vector_dim = 2", (1, 1, 7)),
    "batches of numbers": ((3, 33), (3, 33, 1), (3, 33), "collapsed_slice_dims = [1], "
                           "operand_batching_dims = [0], start_indices_batching_dims = [0], "
                           "start_index_map = [1], index_vector_dim = 2", (1, 1)),
    "windows of pixels": ((6, 9, 3), (5, 3), (5, 2, 4, 3), "offset_dims = [1, 2, 3], "
                          "start_index_map = [0, 1, 2], index_vector_dim = 1", (2, 4, 3)),
    "lines of pixels": ((6, 9, 3), (5, 2), (5, 7, 3), "offset_dims = [1, 2], "
                        "collapsed_slice_dims = [0], start_index_map = [1, 0], "
                        "index_vector_dim = 1", (1, 7, 3)),
    "parts of pixels": ((6, 9, 3), (5, 3), (5, 2, 4, 2), "offset_dims = [1, 2, 3], "
                        "start_index_map = [0, 1, 2], index_vector_dim = 1", (2, 4, 2)),
    "parts of lines": ((6, 3, 9), (5, 2), (5, 3, 4), "offset_dims = [1, 2], "
                       "collapsed_slice_dims = [0], start_index_map = [0, 1], "
                       "index_vector_dim = 1", (1, 3, 4)),
    "whole": ((3, 4), (2, 0), (2, 3, 4), "offset_dims = [1, 2], index_vector_dim = 1", (3, 4)),
    "none": ((3, 4), (0, 1), (0, 4), "offset_dims = [1], collapsed_slice_dims = [0], "
             "start_index_map = [0], index_vector_dim = 1", (1, 4)),
}  # fmt: skip
TYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i16": np.int16, "i1": np.bool_}


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("index_type", ["i32", "ui8"])
@pytest.mark.parametrize("form", FORMS)
def test_a_gather(form: str, index_type: str, type: str) -> None:
    operand, indices, result, numbers, sizes = FORMS[form]
    of, at, to = typed(operand, type), typed(indices, index_type), typed(result, type)
    text = f"""func.func @main(%x: {of}, %i: {at}) -> {to} {{
      %0 = "stablehlo.gather"(%x, %i) {{
        dimension_numbers = #stablehlo.gather<{numbers}>,
        slice_sizes = array<i64: {", ".join(map(str, sizes))}>,
        indices_are_sorted = false
      }} : ({of}, {at}) -> {to}
      %1 = stablehlo.or %0, %0 : {to}
      return %1 : {to}
    }}"""
    if type.startswith("f"):
        text = text.replace("stablehlo.or", "stablehlo.add")
    rng = np.random.default_rng(0)
    low, high = (0, 256) if index_type == "ui8" else (-20, 120)
    starts = rng.integers(low, high, indices).astype({"i32": np.int32, "ui8": np.uint8}[index_type])
    assert_staged(text, rng.integers(0, 2, operand).astype(TYPES[type]), starts)


def test_what_is_gathered_is_computed_with() -> None:
    text = """func.func @main(%x: tensor<100x65xf32>, %i: tensor<31xi32>) -> tensor<31xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %hundred = stablehlo.constant dense<100> : tensor<31xi32>
      %none = stablehlo.constant dense<0> : tensor<31xi32>
      %0 = stablehlo.compare LT, %i, %none : (tensor<31xi32>, tensor<31xi32>) -> tensor<31xi1>
      %1 = stablehlo.add %i, %hundred : tensor<31xi32>
      %2 = stablehlo.select %0, %1, %i : tensor<31xi1>, tensor<31xi32>
      %3 = stablehlo.reshape %2 : (tensor<31xi32>) -> tensor<31x1xi32>
      %4 = "stablehlo.gather"(%x, %3) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 65>
      } : (tensor<100x65xf32>, tensor<31x1xi32>) -> tensor<31x65xf32>
      %5 = stablehlo.negate %4 : tensor<31x65xf32>
      %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.maximum across dimensions = [1]
        : (tensor<31x65xf32>, tensor<f32>) -> tensor<31xf32>
      return %6 : tensor<31xf32>
    }"""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 65)).astype(np.float32)
    assert_staged(text, x, rng.integers(-100, 100, 31).astype(np.int32))


@pytest.mark.parametrize("columns", [1, 5, 32, 70, 300])
@pytest.mark.parametrize("count", [1, 8, 9, 300])
def test_rows_of_what_caches_do_not_hold(count: int, columns: int) -> None:
    """Rows behind the one that is copied are asked for early; there are none behind the last."""
    rows = 300_000 // columns
    text = f"""func.func @main(%x: tensor<{rows}x{columns}xf32>, %i: tensor<{count}x1xi64>)
        -> tensor<{count}x{columns}xf32> {{
      %0 = "stablehlo.gather"(%x, %i) {{
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, {columns}>
      }} : (tensor<{rows}x{columns}xf32>, tensor<{count}x1xi64>) -> tensor<{count}x{columns}xf32>
      return %0 : tensor<{count}x{columns}xf32>
    }}"""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    assert_staged(text, x, rng.integers(-(2**62), 2**62, (count, 1)) >> rng.integers(0, 62))
    assert_staged(text, x, rng.integers(0, rows, (count, 1)))
