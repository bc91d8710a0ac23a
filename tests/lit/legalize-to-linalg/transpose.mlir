// Dimension i of the result is dimension permutation[i] of the operand, not the inverse.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// Result (d0, d1, d2) is dimensions 1, 2, 0 of the operand: read at (d2, d0, d1).
// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: @cycle
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK-SAME: ins(%arg0 : tensor<2x3x4xf32>) outs(%{{.*}} : tensor<3x4x2xf32>)
func.func @cycle(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

// -----

// CHECK-LABEL: @nothing_moves
// CHECK-NEXT: return %arg0
func.func @nothing_moves(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Nothing is moved, and more is known of the result's type.
// CHECK-LABEL: @identity
// CHECK: %[[CAST:.*]] = tensor.extract_slice %arg0[0, 0] [%{{.*}}, 2] [1, 1] : tensor<?x?xf32> to tensor<?x2xf32>
// CHECK: return %[[CAST]]
func.func @identity(%x: tensor<?x?xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<?x?xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
