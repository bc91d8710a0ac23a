// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// The operand is copied unless the result lies where it does; the update is written over it.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_copy
// CHECK-SAME: in_place\22: {{\[\[}}0, [0]]]
// CHECK-SAME: shlo.stage = "update"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.store %{{.*}} : vector<{{[0-9]+}}xf32>
func.func public @main(%x: tensor<4x64xf32>, %u: tensor<1x64xf32>, %i: tensor<i32>) -> tensor<4x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<4x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// What the update reads of its operand forbids that they share memory.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_copy
// CHECK-SAME: in_place\22: []
func.func public @main(%x: tensor<64xf32>, %i: tensor<i32>) -> tensor<64xf32> {
  %0 = stablehlo.slice %x [0:8] : (tensor<64xf32>) -> tensor<8xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i : (tensor<64xf32>, tensor<8xf32>, tensor<i32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
