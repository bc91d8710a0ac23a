// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Each result element finds the operand's, if one is there; nothing is read outside.
// CHECK-LABEL: @main
// CHECK: scf.if
// CHECK-NEXT: func.call @shlo.host.0(%arg2, %arg3, %arg4)
// CHECK: linalg.generic
// CHECK: %[[NUMBER:.*]] = arith.divui
// CHECK: arith.remui
// CHECK: %[[INSIDE:.*]] = arith.minui %[[NUMBER]], %c2
// CHECK: %[[ELEMENT:.*]] = tensor.extract %arg0[%[[INSIDE]]]
// CHECK: arith.select %{{.*}}, %[[ELEMENT]], %{{.*}} : f32
func.func @main(%a: tensor<3xf32>, %v: tensor<f32>, %low: tensor<1xi32>, %high: tensor<1xi32>,
                %interior: tensor<1xi32>) -> tensor<7xf32> {
  %0 = stablehlo.dynamic_pad %a, %v, %low, %high, %interior
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// Known amounts are those of pad.
// CHECK-LABEL: @constant
// CHECK-NOT: scf.if
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1] [3] [2]
func.func @constant(%a: tensor<3xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %v, %one, %one, %one
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
