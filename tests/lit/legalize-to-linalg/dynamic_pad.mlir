// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// The elements that stay inside go to their places.
// CHECK-LABEL: @main
// CHECK: call @shlo.check({{.*}}interior padding arg4[0] is below 0
// CHECK: call @shlo.check({{.*}}tensor<7xf32> has not the sizes
// CHECK: %[[FILLED:.*]] = linalg.generic
// CHECK: %[[KEPT:.*]] = tensor.extract_slice %arg0[%{{.*}}] [%{{.*}}] [1] : tensor<3xf32> to tensor<?xf32>
// CHECK: tensor.insert_slice %[[KEPT]] into %[[FILLED]]
func.func @main(%a: tensor<3xf32>, %v: tensor<f32>, %low: tensor<1xi32>, %high: tensor<1xi32>,
                %interior: tensor<1xi32>) -> tensor<7xf32> {
  %0 = stablehlo.dynamic_pad %a, %v, %low, %high, %interior
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// Known amounts are those of pad.
// CHECK-LABEL: @constant
// CHECK-NOT: shlo.check
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1] [3] [2]
func.func @constant(%a: tensor<3xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %v, %one, %one, %one
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
