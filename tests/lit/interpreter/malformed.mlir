// Misspelt names are errors with their places.
// RUN: not %shlo-run %s --split-input-file 2>&1 | FileCheck %s

// CHECK: malformed.mlir:[[# @LINE + 4]]:3: error: custom op 'interpreter.prints' is unknown
// CHECK: hint: did you mean 'interpreter.print'?
func.func @op() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  interpreter.prints %a : tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:{{[0-9]+}}: error: custom op 'interpreter.probe' expected 'probe_id'
func.func @keyword() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  %0 = interpreter.probe %a, id = "x" : tensor<i64>
  func.return
}

// -----
// CHECK: malformed.mlir:[[# @LINE + 3]]:8: error: interpreter.probe has no attribute 'iteration'
func.func @attribute() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  %0 = "interpreter.probe"(%a) {probe_id = "x", iteration = 1} : (tensor<i64>) -> tensor<i64>
  func.return
}
