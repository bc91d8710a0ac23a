// Programs that check themselves: each part runs, whatever becomes of those before it.
// RUN: not stablehlo-translate --interpret -split-input-file %s > %t.out 2> %t.err
// RUN: FileCheck %s --input-file %t.err
// RUN: FileCheck %s --input-file %t.out --check-prefix=OUT

// OUT: %c = tensor<2xi32> {
// OUT-NEXT: [1, 2]
func.func @fine() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  interpreter.print %0 : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  func.return
}

// -----

// CHECK: interpret_checks.mlir:[[# @LINE + 4]]:3: error: Error evaluating function: helper. {{$}}
// CHECK-NEXT: Fallback for check.expect_eq failed: Element values don't match: 4 (actual) vs 3 (expected) at index [1, 0]
func.func @helper(%arg0: tensor<2x2xi32>) {
  %0 = stablehlo.constant dense<[[1, 2], [3, 5]]> : tensor<2x2xi32>
  check.expect_eq %arg0, %0 : tensor<2x2xi32>
  func.return
}
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>
  func.call @helper(%0) : (tensor<2x2xi32>) -> ()
  func.return
}

// -----

// CHECK: Error evaluating function: almost. {{$}}
// CHECK-NEXT: Fallback for check.expect_almost_eq failed: Element values don't match with tolerance 1.000000e-04: 1.000000e+00 (actual) vs 1.500000e+00 (expected) at index []
func.func @almost() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_almost_eq_const %0, dense<1.5> : tensor<f32>
  func.return
}

// -----

// CHECK: Fallback for check.expect_close failed: Elements values don't match with respect to maximal ULP difference=1 limit:
func.func @close() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<1.1> : tensor<f32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

// -----

// CHECK: Error evaluating function: call. {{$}}
// CHECK-NEXT: Fallback for check.expect_eq failed: Element values don't match: true (actual) vs false (expected) at index [0]
func.func @call() -> tensor<i1> {
  %0 = stablehlo.constant dense<true> : tensor<1xi1>
  %1 = stablehlo.constant dense<false> : tensor<1xi1>
  %2 = stablehlo.custom_call @check.eq(%0, %0) : (tensor<1xi1>, tensor<1xi1>) -> tensor<i1>
  stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<1xi1>, tensor<1xi1>) -> ()
  func.return %2 : tensor<i1>
}

// -----

// CHECK: error: module must have entry func with name main
func.func @one() {
  func.return
}
func.func @two() {
  func.return
}

// -----

// A module without functions is nothing to run.
module {}
