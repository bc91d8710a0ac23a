// Ops run in program order: tokens are no values, in signatures neither.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[X]] : tensor<2xf32>
func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  %2 = stablehlo.after_all %0, %1 : !stablehlo.token
  return %2, %x : !stablehlo.token, tensor<2xf32>
}
