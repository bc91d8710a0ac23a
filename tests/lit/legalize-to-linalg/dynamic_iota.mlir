// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: call @shlo.check(%{{.*}}, %c2{{.*}}tensor<2x3xi64> has not the sizes [arg0[0], arg0[1]]: {0} is not arg0[0] = {1}"}
// CHECK: call @shlo.check(%{{.*}}, %c3
// CHECK: linalg.generic
// CHECK: linalg.index 1
func.func @main(%shape: tensor<2xi32>) -> tensor<2x3xi64> {
  %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}
