// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Channels and columns are all taken, in order: rows are gathered, and no table is written.
// CHECK-LABEL: func.func public @main
// CHECK-NEXT: call @stage.0(%arg0, %arg1)
// CHECK-NEXT: return
// CHECK: func.func private @stage.0
// CHECK: %[[rows:.+]] = stablehlo.reshape %{{.+}} : (tensor<1x9x1x1xi64>) -> tensor<9x1xi64>
// CHECK: "stablehlo.gather"(%arg0, %[[rows]])
// CHECK-SAME: offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1]
// CHECK-SAME: slice_sizes = array<i64: 8, 1, 64>
func.func public @main(%x: tensor<8x64x64xf32>, %rows: tensor<9xi64>) -> tensor<8x9x64xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8x9x64x1xi64>
  %1 = stablehlo.broadcast_in_dim %rows, dims = [1] : (tensor<9xi64>) -> tensor<8x9x64x1xi64>
  %2 = stablehlo.iota dim = 2 : tensor<8x9x64x1xi64>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 3 : (tensor<8x9x64x1xi64>, tensor<8x9x64x1xi64>, tensor<8x9x64x1xi64>) -> tensor<8x9x64x3xi64>
  %4 = "stablehlo.gather"(%x, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x64x64xf32>, tensor<8x9x64x3xi64>) -> tensor<8x9x64xf32>
  return %4 : tensor<8x9x64xf32>
}

// -----

// One element of each row: the row counts, but the column is another one in each.
// CHECK-LABEL: func.func public @main
// CHECK: "stablehlo.gather"
// CHECK-SAME: start_index_map = [0, 1]
// CHECK-SAME: slice_sizes = array<i64: 1, 1>
func.func public @main(%x: tensor<64x10xf32>, %labels: tensor<64x1xi64>) -> tensor<64xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<64x1xi64>
  %1 = stablehlo.concatenate %0, %labels, dim = 1 : (tensor<64x1xi64>, tensor<64x1xi64>) -> tensor<64x2xi64>
  %2 = "stablehlo.gather"(%x, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x10xf32>, tensor<64x2xi64>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// The first rows only: a coordinate counts some of the operand's rows, and stays; the last one is 0.
// CHECK-LABEL: func.func public @main
// CHECK: "stablehlo.gather"
// CHECK-SAME: collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1
// CHECK-SAME: slice_sizes = array<i64: 1, 1>
func.func public @main(%x: tensor<64x10xf32>) -> tensor<32xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<32x1xi64>
  %1 = stablehlo.constant dense<0> : tensor<32x1xi64>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<32x1xi64>, tensor<32x1xi64>) -> tensor<32x2xi64>
  %3 = "stablehlo.gather"(%x, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x10xf32>, tensor<32x2xi64>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}
