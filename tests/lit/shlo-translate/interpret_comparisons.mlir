// What checks accept is what StableHLO's interpreter accepts: == for equal, any sign for almost.
// RUN: not stablehlo-translate --interpret --split-input-file %s 2>&1 | FileCheck %s
func.func @main() {
  %0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  check.expect_eq_const %0, dense<[-0.0, 1.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.0e-6, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  check.expect_almost_eq_const %1, dense<[-1.0e-6, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  %2 = stablehlo.constant dense<[0x3F800001, 0x7FC00000]> : tensor<2xf32>
  %3 = stablehlo.constant dense<[0x3F800000, 0x7FC00001]> : tensor<2xf32>
  check.expect_close %2, %3 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// CHECK: check.expect_eq failed: Element values don't match: 0x7FC00000 (actual) vs 0x7FC00000 (expected) at index [0]
func.func @nan() {
  %0 = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  check.expect_eq %0, %0 : tensor<1xf32>
  return
}

// -----

// CHECK: check.expect_almost_eq failed: {{.*}} 0x7F800000 (actual) vs 0xFF800000 (expected) at index []
func.func @infinity() {
  %0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  check.expect_almost_eq_const %0, dense<0xFF800000> : tensor<f32>
  return
}

// -----

// CHECK: check.expect_close failed: Elements values don't match with respect to maximal ULP difference=1 limit:
func.func @two_apart() {
  %0 = stablehlo.constant dense<0x3F800002> : tensor<f32>
  %1 = stablehlo.constant dense<0x3F800000> : tensor<f32>
  check.expect_close %0, %1 : tensor<f32>, tensor<f32>
  return
}
