// MLIR keeps attributes that nobody reads; a likely slip is warned of.
// RUN: %shlo-opt %s 2>&1 >%t | FileCheck %s

// CHECK: misspelled-attribute.mlir:8:8: warning: stablehlo.transpose has no attribute 'permutaton'; it is ignored
// CHECK: hint: did you mean 'permutation'?
// CHECK-NOT: warning
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] {permutaton = 1 : i64, jax.note = "kept"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
