// Results are the operands, tokens among them.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: return %arg1, %arg0
func.func @main(%a: tensor<2xf32>, %b: tensor<3xi8>) -> (tensor<3xi8>, tensor<2xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = stablehlo.optimization_barrier %a, %t, %b : tensor<2xf32>, !stablehlo.token, tensor<3xi8>
  return %0#2, %0#0 : tensor<3xi8>, tensor<2xf32>
}
