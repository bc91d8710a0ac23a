// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[SIZE:.*]] = arith.constant 3 : i32
// CHECK: linalg.generic {{.*}} ins(%[[SIZE]] : i32) outs(%{{.*}} : tensor<i32>)
func.func @main(%a: tensor<2x3xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// An i32 holds what fits into it.
// CHECK-LABEL: @huge
// CHECK: arith.constant -2147483648 : i32
func.func @huge(%a: tensor<2147483648xi8>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2147483648xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
