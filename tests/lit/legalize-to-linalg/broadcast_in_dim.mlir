// One loop that reads the operand by an indexing map; dimensions of size 1 are read at 0.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// Operand dimension 0 is result dimension 2, and the other way round.
// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-LABEL: @permuted
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK-SAME: ins(%arg0 : tensor<4x2xf32>) outs(%{{.*}} : tensor<2x3x4xf32>)
func.func @permuted(%x: tensor<4x2xf32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<4x2xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// CHECK: #[[READ:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: @stretched
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
func.func @stretched(%x: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK: #[[READ:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: @scalar
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
func.func @scalar(%x: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
