// A check that fails is named with its place, the first element that differs, and both values.
// Those after it in the function do not run, the other functions do.
// RUN: not %shlo-run %s 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --backend=reference 2>&1 | FileCheck %s

// CHECK: FAIL @second_row
// CHECK-NEXT: expect_eq_fails.mlir:[[# @LINE + 6]]:3: error: check.expect_eq: element [1, 0] is 5, expected 3 (2 of 4 elements differ)
// CHECK-NEXT: {{^}}    check.expect_eq %a, %b
// CHECK-NEXT: {{^}}    ^
func.func @second_row() {
  %a = stablehlo.constant dense<[[1, 2], [5, 6]]> : tensor<2x2xui8>
  %b = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  check.expect_eq %a, %b : tensor<2x2xui8>
  check.expect_eq_const %a, dense<0> : tensor<2x2xui8>
  func.return
}

// Two equal checks have places of their own.
// CHECK: FAIL @later
// CHECK-NEXT: expect_eq_fails.mlir:[[# @LINE + 8]]:3: error: check.expect_eq: the value is 2, expected 1
func.func @later() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  %b = stablehlo.constant dense<1> : tensor<i64>
  %c = stablehlo.add %a, %b : tensor<i64>
  check.expect_eq %a, %b : tensor<i64>
  check.expect_eq %b, %a : tensor<i64>
  // What is compared must not look equal because it is printed alike.
  check.expect_eq %c, %b : tensor<i64>
  func.return
}

// CHECK: FAIL @signed_zero
// CHECK-NEXT: :[[# @LINE + 4]]:3: error: check.expect_eq: element [1] is 0.0, expected -0.0
func.func @signed_zero() {
  %a = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32>
  check.expect_eq %a, %b : tensor<2xf32>
  func.return
}

// CHECK: FAIL @other_nan
// CHECK-NEXT: check.expect_eq: the value is nan (0x7FC00001), expected nan (0x7FC00000)
func.func @other_nan() {
  %a = stablehlo.constant dense<0x7FC00001> : tensor<f32>
  %b = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  check.expect_eq %a, %b : tensor<f32>
  func.return
}

// CHECK: ok @fine
func.func @fine() {
  %a = stablehlo.constant dense<true> : tensor<i1>
  check.expect_eq %a, %a : tensor<i1>
  func.return
}
// CHECK-NEXT: 5 functions: 1 passed, 4 failed
