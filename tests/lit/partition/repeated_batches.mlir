// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// All matrices of the batch are the same: it is rows of one product.
// CHECK-LABEL: func.func public @main
// CHECK: stablehlo.dot_general %arg0, %{{.+}}, contracting_dims = [2] x [0] : (tensor<32x2x128xf32>, tensor<128x384xf32>) -> tensor<32x2x384xf32>
func.func public @main(%x: tensor<32x2x128xf32>, %w: tensor<128x384xf32>) -> tensor<32x2x384xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<128x384xf32>) -> tensor<32x128x384xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<32x2x128xf32>, tensor<32x128x384xf32>) -> tensor<32x2x384xf32>
  return %1 : tensor<32x2x384xf32>
}

// -----

// Of two dimensions of a batch one stays: each head has a matrix of its own.
// CHECK-LABEL: func.func public @main
// CHECK: stablehlo.dot_general %arg0, %{{.+}}, batching_dims = [1] x [0], contracting_dims = [3] x [1] : (tensor<8x4x2x64xf32>, tensor<4x64x48xf32>) -> tensor<4x8x2x48xf32>
// CHECK: stablehlo.transpose %{{.+}}, dims = [1, 0, 2, 3]
func.func public @main(%x: tensor<8x4x2x64xf32>, %w: tensor<4x64x48xf32>) -> tensor<8x4x2x48xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2, 3] : (tensor<4x64x48xf32>) -> tensor<8x4x64x48xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<8x4x2x64xf32>, tensor<8x4x64x48xf32>) -> tensor<8x4x2x48xf32>
  return %1 : tensor<8x4x2x48xf32>
}
