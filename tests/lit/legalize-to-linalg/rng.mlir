// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Each op has a key of its own; element i depends on nothing but i.

// CHECK-LABEL: @main
// CHECK: %[[SEED:.*]] = arith.constant 1397247055 : i32
// CHECK: %[[FIRST:.*]] = arith.constant 0 : i32
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: linalg.index 0
// CHECK: %[[AGAIN:.*]] = arith.constant 1397247055 : i32
// CHECK: %[[SECOND:.*]] = arith.constant 1 : i32
// CHECK: linalg.generic
// CHECK: math.log
// CHECK: math.cos
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  %1 = stablehlo.rng %a, %b, %shape, distribution = NORMAL
    : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}
