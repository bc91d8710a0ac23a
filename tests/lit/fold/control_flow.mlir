// Branches and loops that constants decide; loops that run are not run here.
// RUN: %shlo-opt %s --shlo-fold | FileCheck %s

// CHECK-LABEL: @branch
// CHECK-NEXT: %[[N:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: return %[[N]]
func.func @branch(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %p = stablehlo.compare LT, %two, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %n = stablehlo.negate %x : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @never
// CHECK-NOT: stablehlo.while
// CHECK: return %arg0
func.func @never(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.add %zero, %one : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.sine %a : tensor<f32>
    stablehlo.return %zero, %b : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// CHECK-LABEL: @once
// CHECK: stablehlo.while
func.func @once(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.sine %a : tensor<f32>
    stablehlo.return %one, %b : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
