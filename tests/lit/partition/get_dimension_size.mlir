// RUN: %shlo-opt %s --shlo-partition | FileCheck %s

// A known size is a constant of the stage that computes with it.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "map"
// CHECK: stablehlo.constant dense<5> : tensor<i32>
// CHECK-NOT: get_dimension_size
func.func public @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x5xf32>) -> tensor<i32>
  %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
  %3 = stablehlo.add %x, %2 : tensor<4x5xf32>
  return %3 : tensor<4x5xf32>
}
