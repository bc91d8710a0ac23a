// shlo-opt reads every form and prints the generic one, which it reads as well.
// RUN: %shlo-opt %s | FileCheck %s
// RUN: %shlo-opt %s | %shlo-opt | FileCheck %s
// RUN: %shlo-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: @forms
// CHECK-NEXT: "check.expect_eq"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> ()
// CHECK-NEXT: "check.expect_almost_eq"(%arg0, %arg1) {tolerance = 5.000000e-01 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
// CHECK-NEXT: "check.expect_eq_const"(%arg0) {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: "check.expect_serialized_eq"(%arg0) {iteration = 1 : i64, probe_id = "x"} : (tensor<2xf32>) -> ()
// CHECK-NEXT: interpreter.probe %arg0, probe_id = "x" : tensor<2xf32>
// CHECK-NEXT: interpreter.print %arg0 : tensor<2xf32>
// LOC: "check.expect_eq"{{.*}} loc("{{.*}}":[[# @LINE + 4]]:3)
// LOC: "check.expect_eq_const"{{.*}} loc("mine")
// LOC: stablehlo.add{{.*}} loc("{{.*}}":[[# @LINE + 4]]:80)
func.func @forms(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  check.expect_eq %a, %b : tensor<2xf32>
  check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<2xf32>
  check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32> loc("mine") %c = stablehlo.add %a, %b : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "x", iteration = 1 : tensor<2xf32>
  %d = interpreter.probe %a, probe_id = "x" : tensor<2xf32>
  interpreter.print %a : tensor<2xf32>
  // Names like "check.expect_eq %a" elsewhere mean what they say.
  func.call @check.expect_eq() {check.expect_eq, my.text = "check.expect_eq %a"} : () -> ()
  func.return
}
func.func private @check.expect_eq()
