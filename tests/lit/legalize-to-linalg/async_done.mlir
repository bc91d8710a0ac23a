// A future is the results that it stands for.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @end
// CHECK-SAME: %[[R:.*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func private @end(%f: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
