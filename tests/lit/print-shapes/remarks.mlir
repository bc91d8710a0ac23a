// What is known of sizes, and what the program will check; the program stays as it is.
// RUN: %shlo-opt %s --shlo-print-shapes 2>&1 >/dev/null | FileCheck %s
// RUN: %shlo-opt %s --shlo-print-shapes 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-print-shapes{all=true})' 2>&1 >/dev/null | FileCheck %s --check-prefix=ALL

// SAME-LABEL: @main
// SAME: call @half

// CHECK: remarks.mlir:11:1: remark: @main: (tensor<(arg0.0)x4xf32>, tensor<(arg1.0)x4xf32>, tensor<4x2xf32>) -> (tensor<(arg0.0)x2xf32>, tensor<((arg0.0 // 2))x4xf32>)
// ALL: remark: @main
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %c: tensor<4x2xf32>) -> (tensor<?x2xf32>, tensor<?x4xf32>) {
  // CHECK: remarks.mlir:15:8: remark: stablehlo.add -> tensor<(arg0.0)x4xf32>
  // CHECK-NEXT: %0 = stablehlo.add
  // CHECK: note: to be checked: arg1.0 == arg0.0
  %0 = stablehlo.add %a, %b : tensor<?x4xf32>
  // CHECK: remark: stablehlo.dot_general -> tensor<(arg0.0)x2xf32>
  %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  // Static types say all there is.
  // CHECK-NOT: stablehlo.negate
  // ALL: remark: stablehlo.negate -> tensor<4x2xf32>
  %2 = stablehlo.negate %c : tensor<4x2xf32>
  %3 = func.call @half(%b) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1, %3 : tensor<?x2xf32>, tensor<?x4xf32>
}

// A call is followed with the sizes that it is given.
// ALL: remark: stablehlo.get_dimension_size -> tensor<i32> = arg0.0
// ALL: remark: stablehlo.divide -> tensor<i32> = (arg0.0 // 2)
// ALL: remark: stablehlo.concatenate -> tensor<2xi32> = [(arg0.0 // 2), 4]
// CHECK: remark: stablehlo.dynamic_iota -> tensor<((arg0.0 // 2))x4xf32>
func.func private @half(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %h = stablehlo.divide %n, %two : tensor<i32>
  %h1 = stablehlo.reshape %h : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %h1, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
