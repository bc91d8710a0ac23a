// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages | FileCheck %s

// Places that windows select lie in temporary memory, counted in each image; a scatter reads them.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: \22temporaries\22: [1024]
// CHECK-SAME: shlo.stage = "selection"
// CHECK: llvm.func internal @stage.0.places
// CHECK: llvm.fcmp "oge"
// CHECK: llvm.func internal @stage.0(
// CHECK: llvm.icmp "ult"
// CHECK: llvm.fadd
func.func public @main(%x: tensor<2x8x8x16xf32>, %s: tensor<2x4x2x16xf32>) -> tensor<2x8x8x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 4, 1>, window_strides = array<i64: 1, 2, 4, 1>}
    : (tensor<2x8x8x16xf32>, tensor<2x4x2x16xf32>, tensor<f32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}
