// A file without @main is run whole, unless one function is asked for; a file of passing checks
// ends with status 0.
// RUN: %shlo-run %s | FileCheck %s
// RUN: %shlo-run %s --backend=reference --timeout=60 | FileCheck %s
// CHECK: {{^}}ok @one
// CHECK-NEXT: {{^}}ok @two
// CHECK-NEXT: {{^}}2 functions: 2 passed, 0 failed

// RUN: %shlo-run %s --function=two | FileCheck %s --check-prefix=TWO --allow-empty
// TWO-NOT: one

// RUN: %shlo-run %s --list-functions | FileCheck %s --check-prefix=LIST
// LIST: @one() -> ()
// LIST-NEXT: @two() -> ()

// Arguments are for one function.
// RUN: not %shlo-run %s --input=1 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: error: there is no function @main
// MAIN-NEXT: hint: choose one with --function: @one, @two
func.func @one() {
  %0 = stablehlo.iota dim = 0 : tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 1, 2]> : tensor<3xi32>
  func.return
}
func.func @two() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.exponential %0 : tensor<2xf32>
  %2 = stablehlo.log %1 : tensor<2xf32>
  check.expect_almost_eq %0, %2 : tensor<2xf32>
  func.return
}
