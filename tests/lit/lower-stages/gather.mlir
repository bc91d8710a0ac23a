// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Rows are read as runs, and computed with where they are read.
// CHECK-LABEL: func.func private @stage.0
// CHECK: llvm.func internal @stage.0
// CHECK-NOT: gather
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<{{[0-9]+}}xf32>
// CHECK: llvm.fneg
func.func public @main(%x: tensor<9x64xf32>, %i: tensor<5x1xi32>) -> tensor<5x64xf32> {
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 64>
  } : (tensor<9x64xf32>, tensor<5x1xi32>) -> tensor<5x64xf32>
  %1 = stablehlo.negate %0 : tensor<5x64xf32>
  return %1 : tensor<5x64xf32>
}

// -----

// Single numbers are gathered.
// CHECK-LABEL: func.func private @stage.0
// CHECK: llvm.intr.masked.gather
func.func public @main(%x: tensor<9xf32>, %i: tensor<64x1xi32>) -> tensor<64xf32> {
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  } : (tensor<9xf32>, tensor<64x1xi32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
