// RUN: %shlo-opt %s --shlo-canonicalize-gathers --split-input-file | FileCheck %s

// Channels and columns are all taken, in order: rows are gathered, and no table is written.
// CHECK-LABEL: func.func public @main
// CHECK: %[[rows:.+]] = stablehlo.broadcast_in_dim %{{.+}}, dims = [0] : (tensor<9xi64>) -> tensor<9x1xi64>
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

// -----

// Rows by reflection at the first one: constants say which. Places at equal distances stay.
// CHECK-LABEL: func.func public @main
// CHECK: %[[rows:.+]] = stablehlo.constant dense<{{\[\[}}2], [1], [0], [1], [2]]> : tensor<5x1xi64>
// CHECK: %[[reflected:.+]] = "stablehlo.gather"(%arg0, %[[rows]])
// CHECK: %[[next:.+]] = stablehlo.add
// CHECK: "stablehlo.gather"(%[[reflected]], %[[next]])
func.func public @main(%x: tensor<4x64xf32>) -> tensor<5x64xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<5x1xi64>
  %1 = stablehlo.constant dense<2> : tensor<5x1xi64>
  %2 = stablehlo.subtract %0, %1 : tensor<5x1xi64>
  %3 = stablehlo.abs %2 : tensor<5x1xi64>
  %4 = "stablehlo.gather"(%x, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<4x64xf32>, tensor<5x1xi64>) -> tensor<5x64xf32>
  %5 = stablehlo.add %0, %1 : tensor<5x1xi64>
  %6 = "stablehlo.gather"(%4, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<5x64xf32>, tensor<5x1xi64>) -> tensor<5x64xf32>
  return %6 : tensor<5x64xf32>
}

// -----

// Along the last dimension few runs are slices, some of them turned.
// CHECK-LABEL: func.func public @main
// CHECK: %[[first:.+]] = stablehlo.slice %arg0 [0:64, 0:3]
// CHECK: %[[turned:.+]] = stablehlo.reverse %[[first]], dims = [1]
// CHECK: %[[others:.+]] = stablehlo.slice %arg0 [0:64, 1:5]
// CHECK: stablehlo.concatenate %[[turned]], %[[others]], dim = 1
// CHECK-NOT: gather
func.func public @main(%x: tensor<64x5xf32>) -> tensor<64x7xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<7x1xi64>
  %1 = stablehlo.constant dense<2> : tensor<7x1xi64>
  %2 = stablehlo.subtract %0, %1 : tensor<7x1xi64>
  %3 = stablehlo.abs %2 : tensor<7x1xi64>
  %4 = "stablehlo.gather"(%x, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 64, 1>}> : (tensor<64x5xf32>, tensor<7x1xi64>) -> tensor<64x7xf32>
  return %4 : tensor<64x7xf32>
}
