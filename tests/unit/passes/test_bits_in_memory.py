"""Floats of 16 bits in loops that LLVM rewrites: its code generator lacks ops that come of it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from shlo_tools import compile, dtypes

PROGRAM = """
import numpy as np
import shlo_tools
text = '''func.func @main(%x: tensor<?x?xbf16>, %n: tensor<1xi32>, %a: tensor<1xi32>,
    %b: tensor<1xi32>) -> tensor<?xbf16> {
  %c = stablehlo.constant dense<0.0> : tensor<1x3xbf16>
  %0 = chlo.broadcast_add %x, %c : (tensor<?x?xbf16>, tensor<1x3xbf16>) -> tensor<?x3xbf16>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x3xbf16>) -> tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.concatenate %a, %2, %b, dim = 0
    : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %4 = stablehlo.dynamic_broadcast_in_dim %0, %3, dims = [1, 2]
    : (tensor<?x3xbf16>, tensor<3xi32>) -> tensor<3x3x?xbf16>
  %5 = stablehlo.dynamic_reshape %4, %n : (tensor<3x3x?xbf16>, tensor<1xi32>) -> tensor<?xbf16>
  return %5 : tensor<?xbf16>
}'''.replace('bf16', ELEMENT)
x = np.arange(9).reshape(3, 3).astype(shlo_tools.dtypes.element_type(ELEMENT).dtype)
sizes = [np.array([n], np.int32) for n in (27, 3, 3)]
native, reference = (shlo_tools.compile(text, backend=b) for b in ('native', 'reference'))
assert (np.asarray(native(x, *sizes)) == np.asarray(reference(x, *sizes))).all()
print('alike')
"""


WINDOWS = """
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>, %c: tensor<bf16>)
    -> (tensor<6xbf16>, tensor<6xbf16>) {
  %0:2 = "stablehlo.reduce_window"(%x, %y, %c, %c) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>, %d: tensor<bf16>, %e: tensor<bf16>):
    %p = stablehlo.compare GE, %a, %d : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %1 = stablehlo.select %p, %a, %d : tensor<i1>, tensor<bf16>
    %2 = stablehlo.select %p, %b, %e : tensor<i1>, tensor<bf16>
    stablehlo.return %1, %2 : tensor<bf16>, tensor<bf16>
  }) {base_dilations = array<i64: 2>, window_dimensions = array<i64: 2>}
    : (tensor<4xbf16>, tensor<4xbf16>, tensor<bf16>, tensor<bf16>)
    -> (tensor<6xbf16>, tensor<6xbf16>)
  return %0#0, %0#1 : tensor<6xbf16>, tensor<6xbf16>
}"""


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_the_greater_one_and_what_lies_beside_it(element: str) -> None:
    """Windows of two operands whose elements lie apart are computed by MLIR's loops."""
    dtype = dtypes.element_type(element).dtype
    executable = compile(WINDOWS.replace("bf16", element))
    x, y = np.array([1, -2, 5, 4], dtype), np.array([10, 20, 30, 40], dtype)
    greatest, beside = executable(x, y, dtype.type(0))
    np.testing.assert_array_equal(greatest, np.array([1, 0, 0, 5, 5, 4], dtype))
    np.testing.assert_array_equal(beside, np.array([10, 0, 0, 30, 30, 40], dtype))


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_it_compiles(element: str) -> None:
    """In a process of its own, which LLVM would end."""
    code = f"import shlo_tools.dtypes\nELEMENT = {element!r}\n{PROGRAM}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "alike\n", done.stderr
