// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Two parts that are computed with are read side by side, under masks.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "map"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.load
// CHECK: llvm.select
func.func public @main(%x: tensor<5xf32>, %y: tensor<27xf32>) -> tensor<32xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<5xf32>, tensor<27xf32>) -> tensor<32xf32>
  %1 = stablehlo.negate %0 : tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// Parts that are computed are computed where they go.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "concatenation"
// CHECK: stablehlo.negate
// CHECK: stablehlo.concatenate
// CHECK-NOT: @stage.1
func.func public @main(%x: tensor<5xf32>, %y: tensor<27xf32>) -> tensor<32xf32> {
  %0 = stablehlo.negate %x : tensor<5xf32>
  %1 = stablehlo.concatenate %0, %y, dim = 0 : (tensor<5xf32>, tensor<27xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// Narrow parts go side by side: what lies in memory is copied as integers, and columns that are
// computed are turned by the library.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "concatenation"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.load {{.*}} -> vector<2xi64>
// CHECK: llvm.store {{.*}} : vector<2xi64>
// CHECK: llvm.fneg
// CHECK: llvm.call @shlo_rt_transpose_matrix_i32
func.func public @main(%x: tensor<64x4xf32>, %y: tensor<64x2xf32>) -> tensor<64x6xf32> {
  %0 = stablehlo.negate %y : tensor<64x2xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 1 : (tensor<64x4xf32>, tensor<64x2xf32>) -> tensor<64x6xf32>
  return %1 : tensor<64x6xf32>
}
