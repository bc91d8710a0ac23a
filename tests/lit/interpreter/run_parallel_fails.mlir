// A process that fails, and grids that cannot be.
// RUN: not %shlo-run %s --split-input-file 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --split-input-file --backend=reference 2>&1 | FileCheck %s

// CHECK: FAIL @check_of_a_process
// CHECK-NEXT: run_parallel_fails.mlir:[[# @LINE + 10]]:3: error: check.expect_eq_const: the value is 2, expected 1
func.func @check_of_a_process() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  %b = stablehlo.constant dense<2> : tensor<i64>
  "interpreter.run_parallel"(%a, %b) {
    programs = [[@is_one, @is_one]]
  } : (tensor<i64>, tensor<i64>) -> ()
  func.return
}
func.func @is_one(%a: tensor<i64>) {
  check.expect_eq_const %a, dense<1> : tensor<i64>
  return
}

// -----
// CHECK: run_parallel_fails.mlir:[[# @LINE + 3]]:3: error: interpreter.run_parallel: its arguments have to be those of the functions, (tensor<i64>)
func.func @arguments() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  "interpreter.run_parallel"(%a) {programs = [[@nothing]]} : (tensor<f32>) -> ()
  func.return
}
func.func @nothing(%a: tensor<i64>) {
  return
}

// -----
// CHECK: run_parallel_fails.mlir:[[# @LINE + 2]]:3: error: interpreter.run_parallel has no attribute 'infeeds'
func.func @attribute() {
  "interpreter.run_parallel"() {programs = [[@nothing]], infeeds = [@nothing]} : () -> ()
  func.return
}
func.func @nothing() {
  return
}

// -----
// CHECK: run_parallel_fails.mlir:[[# @LINE + 2]]:3: error: Function "missing" not found
func.func @function() {
  "interpreter.run_parallel"() {programs = [[@missing]]} : () -> ()
  func.return
}

// -----
// CHECK: error: {{.*}}@again calls
func.func @recursion() {
  "interpreter.run_parallel"() {programs = [[@again]]} : () -> ()
  func.return
}
func.func @again() {
  func.call @again() : () -> ()
  return
}
