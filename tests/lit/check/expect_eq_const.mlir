// The constant has the type of what is checked.
// RUN: %shlo-run %s | FileCheck %s
// RUN: %shlo-run %s --backend=reference | FileCheck %s
// CHECK: ok @sum_of_si4
// CHECK: ok @forms
// CHECK: ok @types
// CHECK: 3 functions: 3 passed, 0 failed

func.func @sum_of_si4() {
  %0 = stablehlo.constant dense<[0, 1, 2, -3, -8]> : tensor<5xi4>
  %1 = stablehlo.constant dense<[-8, -1, 2, -3, -1]> : tensor<5xi4>
  %2 = stablehlo.add %0, %1 : tensor<5xi4>
  check.expect_eq_const %2, dense<[-8, 0, 4, -6, 7]> : tensor<5xi4>
  func.return
}

func.func @forms() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %1:2 = func.call @pair(%0) : (tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<i1>)
  check.expect_eq_const %1#0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %1#1, dense<true> : tensor<i1> loc("here")
  check.expect_eq_const %0,
    // A constant may take several lines, as in "dense<[[".
    dense<[[1, 2],
           [3, 4]]> : tensor<2x2xi64>
  "check.expect_eq_const"(%0) {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>} : (tensor<2x2xi64>) -> ()
  "check.expect_eq_const"(%0) <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>}> {my.note} : (tensor<2x2xi64>) -> ()
  func.return
}

func.func private @pair(%a: tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<i1>) {
  %p = stablehlo.constant dense<true> : tensor<i1>
  return %a, %p : tensor<2x2xi64>, tensor<i1>
}

func.func @types() {
  %0 = stablehlo.constant dense<[0x7C00, 0.5]> : tensor<2xf16>
  check.expect_eq_const %0, dense<[0x7C00, 0.5]> : tensor<2xf16>
  %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xbf16>
  check.expect_eq_const %1, dense<"0x803F00C0"> : tensor<2xbf16>
  %2 = stablehlo.constant dense<18446744073709551615> : tensor<3xui64>
  check.expect_eq_const %2, dense<18446744073709551615> : tensor<3xui64>
  %3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<1xcomplex<f64>>
  check.expect_eq_const %3, dense<(1.0, -2.0)> : tensor<1xcomplex<f64>>
  func.return
}
