// Folding and simplification feed each other; what neither knows is left.
// RUN: stablehlo-opt %s -stablehlo-target-independent-optimization -split-input-file | FileCheck %s
// RUN: stablehlo-opt %s --stablehlo-aggressive-simplification --split-input-file | FileCheck %s --check-prefix=SIMPLIFY
// RUN: stablehlo-opt %s -stablehlo-target-independent-optimization=optimize-float=false -split-input-file | FileCheck %s --check-prefix=NOFLOAT

// 2 - 1 is 1 only once it is folded, and x * 1 is x.
// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[X:.+]]: tensor<2xf32>
// CHECK-NEXT: return %[[X]]
// SIMPLIFY-LABEL: func.func @both
// SIMPLIFY: stablehlo.subtract
// SIMPLIFY-NEXT: stablehlo.multiply
// NOFLOAT-LABEL: func.func @both
// NOFLOAT: stablehlo.subtract
// NOFLOAT-NEXT: stablehlo.multiply
func.func @both(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.subtract %two, %one : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A slice with constant starts is static; then it is a constant.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: %[[C:.+]] = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
// CHECK-NEXT: return %[[C]]
func.func @slices() -> tensor<2xi32> {
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %start = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_slice %c, %start, sizes = [2] : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// Not a rule of upstream's: x / 1.
// CHECK-LABEL: func.func @left
// CHECK: stablehlo.divide
func.func @left(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.divide %x, %one : tensor<f32>
  return %0 : tensor<f32>
}
