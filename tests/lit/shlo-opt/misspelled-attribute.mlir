// MLIR keeps attributes that nobody reads; a likely slip is warned of.
// RUN: %shlo-opt %s 2>&1 >%t | FileCheck %s
// MLIR has no such warning, so that files for its tools need not expect it.
// RUN: %shlo-opt %s --verify-diagnostics

// CHECK: misspelled-attribute.mlir:10:8: warning: stablehlo.transpose has no attribute 'permutaton'; it is ignored
// CHECK: hint: did you mean 'permutation'?
// CHECK-NOT: warning
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] {permutaton = 1 : i64, jax.note = "kept"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
