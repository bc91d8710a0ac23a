"""Products and convolutions are the same bits for any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys

_BITS = """
import sys
import numpy as np
import shlo_tools
random = np.random.default_rng(0)
x = random.standard_normal((2, 17, 19, 40)).astype(np.float32)
w = random.standard_normal((3, 3, 40, 33)).astype(np.float32)
product = shlo_tools.compile(sys.argv[1])(x, w)
print(product.tobytes().hex())
y = random.standard_normal((9, 20011)).astype(np.float32)
z = random.standard_normal((20011, 7)).astype(np.float32)
sums = shlo_tools.compile(sys.argv[2])(y, z)
print(sums.tobytes().hex())
a = random.standard_normal((48, 700)).astype(np.float32)
b = random.standard_normal((300, 700)).astype(np.float32)
print(shlo_tools.compile(sys.argv[3])(a, b).tobytes().hex())
images = random.standard_normal((2, 64, 66, 3)).astype(np.float32)
few = random.standard_normal((3, 3, 3, 16)).astype(np.float32)
windows = shlo_tools.compile(sys.argv[4])(images, few)
print(windows.tobytes().hex())
print(shlo_tools.compile(sys.argv[5])(images, windows).tobytes().hex())
image = random.standard_normal((1, 5, 5, 64)).astype(np.float32)
kernel = random.standard_normal((3, 3, 64, 480)).astype(np.float32)
print(shlo_tools.compile(sys.argv[6])(image, kernel).tobytes().hex())
"""


def test_the_number_of_threads_changes_no_bit() -> None:
    layout = "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>"
    text = f"""
    func.func @main(%x: tensor<2x17x19x40xf32>, %w: tensor<3x3x40x33xf32>)
        -> tensor<2x15x17x33xf32> {{
      %0 = "stablehlo.convolution"(%x, %w) {{{layout}, feature_group_count = 1 : i64,
        batch_group_count = 1 : i64}}
        : (tensor<2x17x19x40xf32>, tensor<3x3x40x33xf32>) -> tensor<2x15x17x33xf32>
      return %0 : tensor<2x15x17x33xf32>
    }}"""
    types = "(tensor<9x20011xf32>, tensor<20011x7xf32>) -> tensor<9x7xf32>"
    long = f"""
    func.func @main(%y: tensor<9x20011xf32>, %z: tensor<20011x7xf32>) -> tensor<9x7xf32> {{
      %0 = stablehlo.dot_general %y, %z, contracting_dims = [1] x [0] : {types}
      return %0 : tensor<9x7xf32>
    }}"""
    types = "(tensor<48x700xf32>, tensor<300x700xf32>) -> tensor<48x300xf32>"
    wide = f"""
    func.func @main(%a: tensor<48x700xf32>, %b: tensor<300x700xf32>) -> tensor<48x300xf32> {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : {types}
      %1 = stablehlo.tanh %0 : tensor<48x300xf32>
      return %1 : tensor<48x300xf32>
    }}"""
    types = "(tensor<2x64x66x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x62x64x16xf32>"
    lines = f"""
    func.func @main(%x: tensor<2x64x66x3xf32>, %w: tensor<3x3x3x16xf32>)
        -> tensor<2x62x64x16xf32> {{
      %0 = "stablehlo.convolution"(%x, %w) {{{layout}, feature_group_count = 1 : i64,
        batch_group_count = 1 : i64}} : {types}
      return %0 : tensor<2x62x64x16xf32>
    }}"""
    layout = "dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>"
    types = "(tensor<2x64x66x3xf32>, tensor<2x62x64x16xf32>) -> tensor<3x3x3x16xf32>"
    gradient = f"""
    func.func @main(%x: tensor<2x64x66x3xf32>, %y: tensor<2x62x64x16xf32>)
        -> tensor<3x3x3x16xf32> {{
      %0 = "stablehlo.convolution"(%x, %y) {{{layout}, feature_group_count = 1 : i64,
        batch_group_count = 1 : i64}} : {types}
      return %0 : tensor<3x3x3x16xf32>
    }}"""
    layout = "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>"
    types = "(tensor<1x5x5x64xf32>, tensor<3x3x64x480xf32>) -> tensor<1x5x5x480xf32>"
    few = f"""
    func.func @main(%x: tensor<1x5x5x64xf32>, %w: tensor<3x3x64x480xf32>)
        -> tensor<1x5x5x480xf32> {{
      %0 = "stablehlo.convolution"(%x, %w) {{{layout}, padding = dense<1> : tensor<2x2xi64>,
        feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : {types}
      return %0 : tensor<1x5x5x480xf32>
    }}"""
    bits = {
        subprocess.run(
            [sys.executable, "-c", _BITS, text, long, wide, lines, gradient, few],
            env={**os.environ, "SHLO_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(bits) == 1
