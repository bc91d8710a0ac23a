// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// What is made of many small tensors, each alike, is one stage, whose rows are the batch.
// CHECK-LABEL: func.func public @vectors
// CHECK-NEXT: %[[r:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: return %[[r]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.rows = array<i64: 100, 1>
// CHECK-SAME: shlo.stage = "batched"
// CHECK: stablehlo.concatenate
// CHECK: stablehlo.add
func.func public @vectors(%x: tensor<100x2xf32>) -> tensor<100x2xf32> {
  %0 = stablehlo.slice %x [0:100, 0:1] : (tensor<100x2xf32>) -> tensor<100x1xf32>
  %1 = stablehlo.slice %x [0:100, 1:2] : (tensor<100x2xf32>) -> tensor<100x1xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<100x1xf32>
  %3 = stablehlo.subtract %0, %1 : tensor<100x1xf32>
  %4 = stablehlo.concatenate %2, %3, dim = 1 : (tensor<100x1xf32>, tensor<100x1xf32>) -> tensor<100x2xf32>
  %5 = stablehlo.add %x, %4 : tensor<100x2xf32>
  return %5 : tensor<100x2xf32>
}

// -----

// Where tensors of the batch meet, they do not.
// CHECK-LABEL: func.func public @sums
// CHECK-NOT: "batched"
func.func public @sums(%x: tensor<100x2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<100x2xf32>, tensor<100x2xf32>) -> tensor<200x2xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Small matrices of a large batch are lanes where they are reduced, also alone; products with
// vectors of their own are such reductions.
// CHECK-LABEL: func.func public @reduced
// CHECK-COUNT-2: shlo.stage = "batched"
func.func public @reduced(%x: tensor<2000x5x4xf32>, %a: tensor<2000x5x5xf32>, %v: tensor<2000x5xf32>)
    -> (tensor<2000x4xf32>, tensor<2000x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2000x5x4xf32>, tensor<f32>) -> tensor<2000x4xf32>
  %1 = stablehlo.dot_general %a, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2000x5x5xf32>, tensor<2000x5xf32>) -> tensor<2000x5xf32>
  return %0, %1 : tensor<2000x4xf32>, tensor<2000x5xf32>
}

// -----

// Vectors are rows, larger matrices stay apart, and so do few of them.
// CHECK-LABEL: func.func public @others
// CHECK-NOT: "batched"
func.func public @others(%x: tensor<2000x8xf32>, %y: tensor<2000x5x7xf32>, %z: tensor<200x5x4xf32>)
    -> (tensor<2000xf32>, tensor<2000x7xf32>, tensor<200x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2000x8xf32>, tensor<f32>) -> tensor<2000xf32>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2000x5x7xf32>, tensor<f32>) -> tensor<2000x7xf32>
  %2 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<200x5x4xf32>, tensor<f32>) -> tensor<200x4xf32>
  return %0, %1, %2 : tensor<2000xf32>, tensor<2000x7xf32>, tensor<200x4xf32>
}

// -----

// Products of 4 x 4, whose rows are summed up: lanes are the batch. Alone they are left to products.
// CHECK-LABEL: func.func public @main
// CHECK: shlo.stage = "batched"
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.reduce
func.func public @main(%a: tensor<5000x4x4xf32>, %b: tensor<5000x4x4xf32>) -> (tensor<5000x4x4xf32>, tensor<5000x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<5000x4x4xf32>, tensor<5000x4x4xf32>) -> tensor<5000x4x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2]
    : (tensor<5000x4x4xf32>, tensor<f32>) -> tensor<5000x4xf32>
  return %0, %1 : tensor<5000x4x4xf32>, tensor<5000x4xf32>
}

// -----

// CHECK-LABEL: func.func public @main
// CHECK-COUNT-2: shlo.stage = "contraction"
func.func public @main(%a: tensor<5000x4x4xf32>, %b: tensor<5000x4x4xf32>) -> tensor<5000x4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<5000x4x4xf32>, tensor<5000x4x4xf32>) -> tensor<5000x4x4xf32>
  %1 = stablehlo.dot_general %0, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    : (tensor<5000x4x4xf32>, tensor<5000x4x4xf32>) -> tensor<5000x4x4xf32>
  return %1 : tensor<5000x4x4xf32>
}
