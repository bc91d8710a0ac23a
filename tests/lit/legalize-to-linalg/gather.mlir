// A slice's start is clamped so that the slice lies inside; its offsets are added after that.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @clamped
// CHECK: %[[MOST:.*]] = arith.constant 7 : index
// CHECK: %[[BATCH:.*]] = linalg.index 0
// CHECK: %[[OFFSET:.*]] = linalg.index 1
// CHECK: %[[START:.*]] = tensor.extract %arg1[%[[BATCH]], %{{.*}}]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[START]] : i32 to index
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

// Sizes of run time bound the start; what the op demands of them is checked first.
// CHECK-LABEL: @unknown
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %c3{{.*}}, %[[SIZE]] : index
// CHECK: call @shlo.check(%[[FITS]], %c3{{.*}}, %[[SIZE]]) {shlo.message = "stablehlo.gather: {{.*}}
// CHECK: %[[MOST:.*]] = arith.addi
// CHECK: tensor.empty(%{{.*}}) : tensor<?x3xf32>
// CHECK: arith.minsi %{{.*}}, %[[MOST]]
func.func @unknown(%x: tensor<?xf32>, %i: tensor<?x1xi32>) -> tensor<?x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}>
    : (tensor<?xf32>, tensor<?x1xi32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// A slice of nothing along a dimension that is dropped reads an element all the same: if there is one.
// CHECK-LABEL: @nothing
// CHECK: call @shlo.check({{.*}} {shlo.message = "stablehlo.gather: there is no element to take: min(1, arg1.0) = {0} is more than arg0.0 = {1}"}
func.func @nothing(%x: tensor<?xf32>, %i: tensor<?x1xi32>) -> tensor<?xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 0>}> : (tensor<?xf32>, tensor<?x1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
