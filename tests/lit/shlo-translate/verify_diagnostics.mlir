// Diagnostics that are expected are success, whatever comes out.
// RUN: stablehlo-translate --interpret --split-input-file --verify-diagnostics %s | FileCheck %s --allow-empty
// CHECK-NOT: error
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  // expected-error@+1 {{Element values don't match: 1 (actual) vs 2 (expected)}}
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}

// -----

func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{operands/results must have the same shape}}
  %0 = "stablehlo.abs"(%arg0) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
