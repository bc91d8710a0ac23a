// A tolerance below the stated bound is refused, with both.
// RUN: not %shlo-opt %s --shlo-legalize-to-linalg 2>&1 | FileCheck %s

// CHECK: error: not supported: stablehlo.exponential (tensor<4xf64>) -> tensor<4xf64>
// CHECK-SAME: an accuracy of atol = 0, rtol = 0, ulps = 3: the bound stated for f64 is 4 ulp
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %kept = "stablehlo.tanh"(%x) {
    result_accuracy = #stablehlo.result_accuracy<ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
  } : (tensor<4xf64>) -> tensor<4xf64>
  %0 = "stablehlo.exponential"(%kept) {
    result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
  } : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
