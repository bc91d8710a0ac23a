// Arithmetic on floats of 8 bits and less is done in f32; every op rounds its result.
// RUN: %shlo-opt %s --shlo-widen-narrow-floats --split-input-file | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-NEXT: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<4xf8E5M2>) -> tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.convert %arg1 : (tensor<4xf8E5M2>) -> tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT: %[[ROUNDED:.*]] = stablehlo.convert %[[SUM]] : (tensor<4xf32>) -> tensor<4xf8E5M2>
// CHECK-NEXT: %[[AGAIN:.*]] = stablehlo.convert %[[ROUNDED]]
// CHECK-NEXT: %[[ROOT:.*]] = stablehlo.sqrt %[[AGAIN]] : tensor<4xf32>
// CHECK-NEXT: %[[RESULT:.*]] = stablehlo.convert %[[ROOT]]
// CHECK-NEXT: return %[[RESULT]] : tensor<4xf8E5M2>
func.func @chain(%a: tensor<4xf8E5M2>, %b: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %0 = stablehlo.add %a, %b : tensor<4xf8E5M2>
  %1 = stablehlo.sqrt %0 : tensor<4xf8E5M2>
  return %1 : tensor<4xf8E5M2>
}

// -----

// Attributes are kept, and results that are no narrow floats stay what they are.
// CHECK-LABEL: @compared
// CHECK: %[[LESS:.*]] = stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
// CHECK-NEXT: return %[[LESS]] : tensor<?xi1>
func.func @compared(%a: tensor<?xf4E2M1FN>, %b: tensor<?xf4E2M1FN>) -> tensor<?xi1> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<?xf4E2M1FN>, tensor<?xf4E2M1FN>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

// Products of powers of two leave the range of f32; no f32 tells atan2 of two numbers from a tie.
// CHECK-LABEL: @in_double
// CHECK: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<f64>
// CHECK: stablehlo.atan2 %{{.*}}, %{{.*}} : tensor<f64>
func.func @in_double(%a: tensor<f8E8M0FNU>, %b: tensor<f6E3M2FN>) -> (tensor<f8E8M0FNU>, tensor<f6E3M2FN>) {
  %0 = stablehlo.multiply %a, %a : tensor<f8E8M0FNU>
  %1 = stablehlo.atan2 %b, %b : tensor<f6E3M2FN>
  return %0, %1 : tensor<f8E8M0FNU>, tensor<f6E3M2FN>
}

// -----

// Wider floats are left alone.
// CHECK-LABEL: @wider
// CHECK-NOT: convert
// CHECK: return
func.func @wider(%a: tensor<f16>, %b: tensor<bf16>) -> (tensor<f16>, tensor<bf16>) {
  %0 = stablehlo.tanh %a : tensor<f16>
  %1 = stablehlo.negate %b : tensor<bf16>
  return %0, %1 : tensor<f16>, tensor<bf16>
}

// -----

// Rounding may reach the upper bound, which uniform numbers must not.
// CHECK-LABEL: @uniform
// CHECK: %[[WIDE:.*]] = stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
// CHECK-NEXT: %[[MADE:.*]] = stablehlo.convert %[[WIDE]]
// CHECK-NEXT: %[[LOW:.*]] = stablehlo.broadcast_in_dim %arg0, dims = []
// CHECK-NEXT: %[[HIGH:.*]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK: %[[BELOW:.*]] = stablehlo.compare LT
// CHECK-NEXT: %[[KEPT:.*]] = stablehlo.select %[[BELOW]], %[[MADE]], %[[LOW]]
// CHECK-NEXT: return %[[KEPT]]
func.func @uniform(%a: tensor<f8E4M3>, %b: tensor<f8E4M3>) -> tensor<9xf8E4M3> {
  %shape = stablehlo.constant dense<9> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f8E4M3>, tensor<f8E4M3>, tensor<1xi64>) -> tensor<9xf8E4M3>
  return %0 : tensor<9xf8E4M3>
}
