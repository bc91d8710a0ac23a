"""What is known of integer tensors beside unknown sizes: degenerate ops keep their meaning."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools

N, V = "tensor<i32>", "tensor<2xi32>"
ZEROS = "%zero = stablehlo.constant dense<0> : tensor<i32>"

# Lines that define %out, its type, and what it is.
CASES = {
    "clamp of nothing": (
        f"""%v = stablehlo.constant dense<> : tensor<0xi32>
        %out = stablehlo.clamp %zero, %v, %zero : ({N}, tensor<0xi32>, {N}) -> tensor<0xi32>""",
        "tensor<0xi32>",
        [],
    ),
    "slice of a scalar": (f"%out = stablehlo.slice %zero [] : ({N}) -> {N}", N, 0),
    "reduce over no dimension": (
        f"""%v = stablehlo.constant dense<[3, 4]> : {V}
        %one = stablehlo.constant dense<2> : {N}
        %out = stablehlo.reduce(%v init: %one) applies stablehlo.multiply across dimensions = []
          : ({V}, {N}) -> {V}""",
        V,
        [6, 8],
    ),
}


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_beside_unknown_sizes(name: str, backend: str) -> None:
    """The value also stands where sizes are computed from: a concatenation, a reshape."""
    lines, type, expected = CASES[name]
    text = f"""
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, {type}, tensor<?xi32>) {{
      {ZEROS}
      {lines}
      %flat = stablehlo.reshape %out : ({type}) -> tensor<{np.size(expected)}xi32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> {N}
      %last = stablehlo.reshape %n : ({N}) -> tensor<1xi32>
      %all = stablehlo.concatenate %flat, %last, dim = 0
        : (tensor<{np.size(expected)}xi32>, tensor<1xi32>) -> tensor<?xi32>
      return %x, %out, %all : tensor<?xf32>, {type}, tensor<?xi32>
    }}"""
    executable = shlo_tools.compile(text, backend=backend)  # type: ignore[arg-type]
    _, out, both = executable(np.zeros(5, np.float32))
    np.testing.assert_array_equal(out, np.array(expected, np.int32))
    np.testing.assert_array_equal(both, np.append(np.array(expected, np.int32), 5))
