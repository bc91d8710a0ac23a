// Floats are almost equal that are at most the tolerance apart and of one sign. The default is 1e-4,
// whatever the size of the numbers.
// RUN: not %shlo-run %s 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --backend=reference 2>&1 | FileCheck %s

// CHECK: ok @near
func.func @near() {
  %a = stablehlo.constant dense<[1.0, 100.0, 0x7FC00000, 0x7F800000, 0.0]> : tensor<5xf32>
  %b = stablehlo.constant dense<[1.00009, 99.9999, 0xFFC00001, 0x7F800000, -0.0]> : tensor<5xf32>
  check.expect_almost_eq %a, %b : tensor<5xf32>
  "check.expect_almost_eq"(%a, %b) : (tensor<5xf32>, tensor<5xf32>) -> ()
  check.expect_almost_eq_const %a, dense<[1.00009, 99.9999, 0xFFC00001, 0x7F800000, -0.0]> : tensor<5xf32>
  func.return
}

// CHECK-NEXT: ok @tolerance
func.func @tolerance() {
  %a = stablehlo.constant dense<[1.0, 100.0]> : tensor<2xf64>
  check.expect_almost_eq_const %a, dense<[1.25, 99.75]> {tolerance = 0.25} : tensor<2xf64>
  check.expect_almost_eq_const %a, dense<[1.25, 99.75]> : tensor<2xf64> {tolerance = 0.25 : f64}
  check.expect_almost_eq_const %a, dense<[1.25, 99.75]>, tolerance = 0.25 : tensor<2xf64>
  "check.expect_almost_eq_const"(%a) {value = dense<[1.25, 99.75]> : tensor<2xf64>, tolerance = 2.5e-1 : f64} : (tensor<2xf64>) -> ()
  %b = stablehlo.constant dense<[1.25, 99.75]> : tensor<2xf64>
  check.expect_almost_eq %a, %b, tolerance = 0.25 : tensor<2xf64>
  check.expect_almost_eq %a, %b {tolerance = 0.25} : tensor<2xf64>
  "check.expect_almost_eq"(%a, %b) {tolerance = 0.25} : (tensor<2xf64>, tensor<2xf64>) -> ()
  func.return
}

// CHECK-NEXT: FAIL @beyond
// CHECK-NEXT: :[[# @LINE + 3]]:3: error: check.expect_almost_eq_const: element [1] is 100.0, expected 100.0002 up to 0.0001 (1 of 2 elements differ)
func.func @beyond() {
  %a = stablehlo.constant dense<[1.0, 100.0]> : tensor<2xf64>
  check.expect_almost_eq_const %a, dense<[1.0, 100.0002]> : tensor<2xf64>
  func.return
}

// CHECK: FAIL @smaller_tolerance
// CHECK-NEXT: :[[# @LINE + 3]]:3: error: check.expect_almost_eq_const: the value is 1, expected 1.0625 up to 0.03125
func.func @smaller_tolerance() {
  %a = stablehlo.constant dense<1.0> : tensor<bf16>
  check.expect_almost_eq_const %a, dense<1.0625> {tolerance = 0.03125} : tensor<bf16>
  func.return
}

// CHECK: FAIL @other_sign
// CHECK-NEXT: check.expect_almost_eq_const: the value is 1e-06, expected -1e-06 up to 0.0001
func.func @other_sign() {
  %a = stablehlo.constant dense<1.0e-6> : tensor<f64>
  check.expect_almost_eq_const %a, dense<-1.0e-6> : tensor<f64>
  func.return
}

// CHECK: FAIL @only_one_nan
// CHECK-NEXT: check.expect_almost_eq_const: element [0] is nan, expected 1.0 up to 0.0001
func.func @only_one_nan() {
  %a = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  check.expect_almost_eq_const %a, dense<1.0> : tensor<1xf32>
  func.return
}

// CHECK: FAIL @imaginary_part
// CHECK-NEXT: check.expect_almost_eq_const: element [1] is (1+2j), expected (1+3j) up to 0.0001
func.func @imaginary_part() {
  %a = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0)]> : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %a, dense<[(1.0, 2.00005), (1.0, 3.0)]> : tensor<2xcomplex<f32>>
  func.return
}
// CHECK: 7 functions: 2 passed, 5 failed
