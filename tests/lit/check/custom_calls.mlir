// Test files call checks as targets of custom_call, too.
// RUN: not %shlo-run %s 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --backend=reference 2>&1 | FileCheck %s

// CHECK: ok @targets
func.func @targets() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 0x40000002]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%a, %a) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %c = stablehlo.custom_call @check.eq(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  check.expect_eq_const %c, dense<true> : tensor<i1>
  func.return
}

// CHECK-NEXT: FAIL @exactly
// CHECK-NEXT: :[[# @LINE + 4]]:3: error: check.expect_eq: element [1] is 2.0, expected 2.0000005
func.func @exactly() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 0x40000002]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  func.return
}
