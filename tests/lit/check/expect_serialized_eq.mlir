// What a probe has written is read again: of this run, or of an earlier one.
// RUN: rm -rf %t
// RUN: %shlo-run %s --probe-output-dir=%t | FileCheck %s
// RUN: %shlo-run %s --probe-output-dir=%t --backend=reference | FileCheck %s
// CHECK: ok @rounds
// CHECK: 1 function: 1 passed, 0 failed

// RUN: not %shlo-run %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: check.expect_serialized_eq: no folder of probes is given

// RUN: sed -e 's/dense<2>/dense<5>/' %s > %t.mlir
// RUN: not %shlo-run %t.mlir --probe-output-dir=%t 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: check.expect_serialized_eq: the value is 5, expected 2
func.func @rounds() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.while(%i = %zero) : tensor<i64> cond {
    %1 = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i64>
    %2 = interpreter.probe %1, probe_id = "round" : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }
  check.expect_serialized_eq %one, probe_id = "round", iteration = 1 : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  check.expect_serialized_eq %two, probe = "round", iteration = 2 : tensor<i64>
  "check.expect_serialized_eq"(%three) {probe_id = "round", iteration = 3 : i64} : (tensor<i64>) -> ()
  func.return
}
