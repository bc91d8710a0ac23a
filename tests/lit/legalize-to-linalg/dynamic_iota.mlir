// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: scf.if
// CHECK-NEXT: func.call @shlo.host.0(%arg0)
// CHECK: linalg.generic
// CHECK: linalg.index 1
func.func @main(%shape: tensor<2xi32>) -> tensor<2x3xi64> {
  %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}
