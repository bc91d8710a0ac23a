// Checks in the forms that StableHLO's test files have, as far as they are not in tests/lit/check.
// RUN: rm -rf %t
// RUN: stablehlo-translate --interpret --probe-output-dir=%t %s
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 2.05]> : tensor<2xf32>, tolerance = 0.1
  check.expect_almost_eq_const %0, dense<[1.0, 2.05]> : tensor<2xf32>, tolerance = 0.1 : f64
  check.expect_almost_eq_const %0, dense<[1.0, 2.05]> : tensor<2xf32> {tolerance = 0.1 : f64}
  check.expect_almost_eq %0, %0, tolerance = 0.1 : f64 : tensor<2xf32>
  check.expect_almost_eq %0, %0, tolerance = 0.1 {my.attribute = 1 : i32} : tensor<2xf32>
  check.expect_close %0, %0, max_ulp_difference = 2, min_ulp_difference = 0 : {my.attribute} tensor<2xf32>, tensor<2xf32>
  %1 = interpreter.probe %0, probe_id = "p" : tensor<2xf32>
  %2 = stablehlo.add %0, %0 : tensor<2xf32>
  %3 = interpreter.probe %2, probe_id = "p" : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "p" : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "p", iter = 0 : tensor<2xf32>
  check.expect_serialized_eq %2, probe_id = "p", iter = 1 : tensor<2xf32>
  return
}
