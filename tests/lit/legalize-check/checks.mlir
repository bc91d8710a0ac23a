// Checks and probes become custom calls that say what is checked, and where.
// RUN: %shlo-opt %s --shlo-legalize-check | FileCheck %s

// CHECK-LABEL: @checks
// CHECK-NEXT: stablehlo.custom_call @check.expect_eq(%arg0, %arg1) {api_version = 4 : i32, backend_config = {place = "-:[[# @LINE + 9]]:3"}, has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: stablehlo.custom_call @check.expect_almost_eq(%arg0, %[[C]]) {{{.*}}backend_config = {op = "check.expect_almost_eq_const", place = "{{[^"]*}}", tolerance = 5.000000e-01 : f64}
// CHECK-NEXT: stablehlo.custom_call @check.expect_close(%arg0, %arg1) {{{.*}}max_ulp_difference = 3 : i64
// CHECK-NEXT: stablehlo.custom_call @interpreter.probe(%arg0) {{{.*}}probe_id = "x", type = "tensor<2xf32>"}, has_side_effect = true} : (tensor<2xf32>) -> ()
// CHECK-NEXT: stablehlo.custom_call @check.expect_serialized_eq(%arg0) {{{.*}}iteration = 1 : i64, place = "{{[^"]*}}", probe_id = "x", type = "tensor<2xf32>"}
// CHECK-NEXT: stablehlo.custom_call @interpreter.print(%arg0) {{{.*}}name = "%arg0", place = "{{[^"]*}}", type = "tensor<2xf32>"}
// CHECK-NEXT: return %arg0
func.func @checks(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  check.expect_eq %a, %b : tensor<2xf32>
  check.expect_almost_eq_const %a, dense<[1.0, 2.0]>, tolerance = 0.5 : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  %0 = interpreter.probe %a, probe_id = "x" : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "x", iteration = 1 : tensor<2xf32>
  interpreter.print %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Quantized values are compared by their integers.
// CHECK-LABEL: @quantized
// CHECK-NEXT: %[[L:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2xi8>
// CHECK-NEXT: %[[R:.*]] = stablehlo.constant dense<3> : tensor<2xi8>
// CHECK-NEXT: stablehlo.custom_call @check.expect_eq(%[[L]], %[[R]])
func.func @quantized(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  "check.expect_eq_const"(%a) {value = dense<3> : tensor<2xi8>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> ()
  return
}
