// A program becomes the Python source that builds it.
// RUN: %shlo-translate --to-python %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: echo 'llvm.func @f() { llvm.return }' > %t.llvm.mlir
// RUN: not %shlo-translate --to-python %t.llvm.mlir 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: to_python.mlir.tmp.llvm.mlir:1:1: error:
// REFUSED-SAME: llvm.func

// CHECK: module = Module()
// CHECK: def main(
// CHECK: ops.reduce(
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
