// A gather of whole slices, which clamps indices; leading dimensions may be a batch.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>
// CHECK-SAME: slice_sizes = array<i64: 1, 4>
func.func @rows(%a: tensor<5x4xf32>, %i: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64}
    : (tensor<5x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @batch
// CHECK-SAME: tensor<2x3x5x7xf32>
// CHECK: offset_dims = [1, 3], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2
// CHECK-SAME: slice_sizes = array<i64: 1, 3, 1, 7>
func.func @batch(%a: tensor<2x3x5x7xf32>, %i: tensor<2x6xui8>) -> tensor<2x3x6x7xf32> {
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 2 : i64, batch_dims = 1 : i64}
    : (tensor<2x3x5x7xf32>, tensor<2x6xui8>) -> tensor<2x3x6x7xf32>
  return %0 : tensor<2x3x6x7xf32>
}
