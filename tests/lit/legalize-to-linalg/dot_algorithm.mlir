// An algorithm says what operands are rounded to and what sums are kept in.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// tf32 is f32 without the last 13 bits: what is rounded off, and NaN, which stays NaN.
// CHECK-LABEL: @tf32
// CHECK: arith.constant -8192 : i32
// CHECK: arith.cmpf uno
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
func.func @tf32(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.dot_general"(%x, %x) {
    dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
    algorithm = #stablehlo.dot_algorithm<
      lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false>
  } : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// Six products of bf16 emulate f32, which is computed with itself.
// CHECK-LABEL: @emulated
// CHECK-NOT: bf16
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
func.func @emulated(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.dot_general"(%x, %x) {
    dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
    algorithm = #stablehlo.dot_algorithm<
      lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6,
      allow_imprecise_accumulation = false>
  } : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// f32 operands with f64 sums and an integer result: each type is what was asked for.
// CHECK-LABEL: @mixed
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.addf %{{.*}} : f64
// CHECK: arith.fptosi %{{.*}} : f64 to i32
func.func @mixed(%x: tensor<2x2xf32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.dot_general"(%x, %x) {
    dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
    algorithm = #stablehlo.dot_algorithm<
      lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false>
  } : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
