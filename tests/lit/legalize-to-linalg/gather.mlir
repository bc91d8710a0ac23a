// A slice's start is clamped so that the slice lies inside; its offsets are added after that.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @clamped
// CHECK: %[[BATCH:.*]] = linalg.index 0
// CHECK: %[[OFFSET:.*]] = linalg.index 1
// CHECK: %[[START:.*]] = tensor.extract %arg1[%[[BATCH]], %{{.*}}]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[START]] : i32 to index
// CHECK: %[[MOST:.*]] = arith.constant 7 : index
// CHECK: %[[BELOW:.*]] = arith.minsi %[[INDEX]], %[[MOST]]
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[BELOW]], %[[ZERO]]
// CHECK: %[[AT:.*]] = arith.addi %[[INSIDE]], %[[OFFSET]]
// CHECK: tensor.extract %arg0[%[[AT]]]
func.func @clamped(%x: tensor<10xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}>
    : (tensor<10xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A batching dimension is read at the batch's own position; 255 is not -1.
// CHECK-LABEL: @batching
// CHECK: %[[BATCH:.*]] = linalg.index 0
// CHECK: arith.index_castui %{{.*}} : i8 to index
// CHECK: %[[AT:.*]] = arith.minui
// CHECK: tensor.extract %arg0[%[[BATCH]], %[[AT]]]
func.func @batching(%x: tensor<2x10xf32>, %i: tensor<2x1xui8>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
      start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}>
    : (tensor<2x10xf32>, tensor<2x1xui8>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
