// What is not as it should be is refused with its place in the text, whichever form it is in.
// RUN: not %shlo-run %s --split-input-file 2>&1 | FileCheck %s

// CHECK: malformed.mlir:[[# @LINE + 3]]:23: error: check.expect_eq: ',' is expected
func.func @comma() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  check.expect_eq %a  %a : tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:29: error: check.expect_eq_const: a constant is expected
func.func @constant() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  check.expect_eq_const %a, 3 : tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 4]]:3: error: custom op 'check.expect_equal' is unknown
// CHECK: hint: did you mean 'check.expect_eq'?
func.func @op() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  check.expect_equal %a, %a : tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 4]]:3: error: unregistered operation 'check.expect_equal'
// CHECK: hint: did you mean 'check.expect_eq'?
func.func @generic_op() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  "check.expect_equal"(%a, %a) : (tensor<i64>, tensor<i64>) -> ()
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 4]]:30: error: check.expect_close has no attribute 'max_ulp_diference'
// CHECK: hint: did you mean 'max_ulp_difference'?
func.func @keyword() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_close %a, %a, max_ulp_diference = 3 : tensor<f32>, tensor<f32>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 4]]:3: error: check.expect_almost_eq has no attribute 'tolerence'
// CHECK: hint: did you mean 'tolerance'?
func.func @attribute() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  "check.expect_almost_eq"(%a, %a) {tolerence = 0.5} : (tensor<f32>, tensor<f32>) -> ()
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:3: error: check.expect_almost_eq: tolerance is a number of at least 0, not "0.5"
func.func @kind() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_almost_eq %a, %a, tolerance = "0.5" : tensor<f32>
  func.return
}

// The column is that of the text, not of the generic form that MLIR reads.
// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:53: error: use of undeclared SSA value name
func.func @column() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  check.expect_eq %a, %a : tensor<i64> func.call @f(%missing) : (tensor<i64>) -> ()
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:3: error: check.expect_eq_const: a value of tensor<2xi64> is expected of tensor<i64>
func.func @shape() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  "check.expect_eq_const"(%a) {value = dense<1> : tensor<2xi64>} : (tensor<i64>) -> ()
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:3: error: check.expect_close compares float or complex tensors, not tensor<i64>
func.func @element_type() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  check.expect_close %a, %a : tensor<i64>, tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 2]]:28: error: a bracket that is not closed
func.func @bracket(%a: tensor<i64>) {
  check.expect_eq %a, %a : (tensor<i64>
  func.return
}
// CHECK: 11 functions: 0 passed, 11 failed
