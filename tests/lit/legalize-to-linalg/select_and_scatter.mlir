// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Two loops over the windows, one within each: along the other dimension a window has one element.

// CHECK-LABEL: @main
// CHECK: call @shlo.select_and_scatter.0
// CHECK: func.func private @shlo.select_and_scatter.0
// CHECK-COUNT-3: scf.for
// CHECK: arith.cmpf oge
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: tensor.insert
// CHECK-NOT: scf.for
func.func @main(%x: tensor<4x2xf32>, %source: tensor<2x2xf32>, %init: tensor<f32>)
    -> tensor<4x2xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %source, %init) <{window_dimensions = array<i64: 3, 1>,
      window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
