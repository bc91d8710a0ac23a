// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Rows are added by vectors, to a copy or in place; a row outside is skipped.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_copy
// CHECK-SAME: in_place\22: {{\[\[}}0, [0]]]
// CHECK-SAME: shlo.stage = "scatter"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.icmp "ult"
// CHECK: llvm.fadd %{{.*}} : vector<{{[0-9]+}}xf32>
func.func public @main(%x: tensor<9x64xf32>, %i: tensor<5x1xi32>, %u: tensor<5x64xf32>) -> tensor<9x64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<9x64xf32>, tensor<5x1xi32>, tensor<5x64xf32>) -> tensor<9x64xf32>
  return %0 : tensor<9x64xf32>
}

// -----

// Zeros are written first; nothing is copied.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: stage.0.operand0
// CHECK-NOT: shlo_rt_copy
// CHECK: llvm.return
func.func public @main(%i: tensor<5x1xi32>, %u: tensor<5xf32>) -> tensor<9xf32> {
  %x = stablehlo.constant dense<0.0> : tensor<9xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<9xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
