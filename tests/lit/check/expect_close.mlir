// Distances in units in the last place: 3 by default. 1.0 is 0x3F800000, so the distances of the
// constants here can be read off their bits.
// RUN: not %shlo-run %s 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --backend=reference 2>&1 | FileCheck %s

// CHECK: ok @close
func.func @close() {
  %a = stablehlo.constant dense<[1.0, 0x3F800000, 0x00000001, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %b = stablehlo.constant dense<[0x3F800003, 0x3F7FFFFD, 0x80000002, 0x7F800000, 0xFFC00000]> : tensor<5xf32>
  check.expect_close %a, %b : tensor<5xf32>, tensor<5xf32>
  check.expect_close %a, %b, max_ulp_difference = 3 : tensor<5xf32>, tensor<5xf32>
  check.expect_close %a, %b, max_ulp_difference = 3, min_ulp_difference = 3 : tensor<5xf32>, tensor<5xf32>
  check.expect_close %a, %b {max_ulp_difference = 4 : i64} : tensor<5xf32>
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : i64, min_ulp_difference = 1 : i64} : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}

// CHECK-NEXT: FAIL @too_far
// CHECK-NEXT: :[[# @LINE + 4]]:3: error: check.expect_close: element [1] is 1.0, expected 1.0000004: 3 ulp apart, at most 2 allowed (1 of 2 elements differ)
func.func @too_far() {
  %a = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[0x3F800002, 0x3F800003]> : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  func.return
}

// CHECK: FAIL @too_near
// CHECK-NEXT: check.expect_close: at most 1 ulp apart, somewhere 2 expected
func.func @too_near() {
  %a = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %b = stablehlo.constant dense<[0x3F81, 1.0]> : tensor<2xbf16>
  check.expect_close %a, %b, min_ulp_difference = 2 : tensor<2xbf16>, tensor<2xbf16>
  func.return
}

// The largest float is no infinity, however close their bits are.
// CHECK: FAIL @infinity
// CHECK-NEXT: check.expect_close: the value is inf, expected 3.4028235e+38: infinitely far apart, at most 3 allowed
func.func @infinity() {
  %a = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %b = stablehlo.constant dense<0x7F7FFFFF> : tensor<f32>
  check.expect_close %a, %b : tensor<f32>, tensor<f32>
  func.return
}
// CHECK: 4 functions: 1 passed, 3 failed
