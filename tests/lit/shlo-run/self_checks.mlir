// Without @main, public functions run that take no arguments and that no other function uses.
// RUN: not %shlo-run %s --split-input-file 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --split-input-file --backend=reference 2>&1 | FileCheck %s
// RUN: not %shlo-run - --split-input-file < %s 2>&1 | FileCheck %s

// CHECK: {{^}}ok @first
// CHECK-NEXT: {{^}}ok @with_a_result
// CHECK-NEXT: result0: tensor<i64>
// CHECK-NEXT: {{^}}3
// CHECK-NOT: @used
// CHECK-NOT: @with_an_argument
// CHECK-NOT: @hidden
func.func @first() {
  %0 = func.call @used() : () -> tensor<i64>
  check.expect_eq_const %0, dense<2> : tensor<i64>
  func.return
}
func.func @used() -> tensor<i64> {
  %0 = stablehlo.constant dense<2> : tensor<i64>
  return %0 : tensor<i64>
}
func.func @with_an_argument(%a: tensor<i64>) {
  check.expect_eq_const %a, dense<2> : tensor<i64>
  func.return
}
func.func private @hidden() {
  func.return
}
func.func @with_a_result() -> tensor<i64> {
  %0 = stablehlo.constant dense<3> : tensor<i64>
  return %0 : tensor<i64>
}

// A part that cannot be read is one failure, and the others run.
// -----
// CHECK: {{^}}FAIL part 2
// CHECK-NEXT: :[[# @LINE + 2]]:{{[0-9]+}}: error: check.expect_eq_const: a constant is expected
func.func @broken() {
  check.expect_eq_const %0, : tensor<i64>
}

// -----
// CHECK: {{^}}FAIL @main
// CHECK-NEXT: :[[# @LINE + 3]]:3: error: check.expect_eq_const: the value is true, expected false
func.func @main() {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  check.expect_eq_const %0, dense<false> : tensor<i1>
  func.return
}
func.func @beside_main() {
  func.return
}

// CHECK: {{^}}4 functions: 2 passed, 2 failed
// -----
// RUN: not %shlo-run %s --split-input-file --input=1 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: --split-input-file runs programs without arguments
