// Ops that leave a value as it is are no stages: JAX makes such choices for what a branch reads.
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-partition)' | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<4x5xf32>, %[[P:.*]]: tensor<4x5xi1>
func.func @main(%a: tensor<4x5xf32>, %p: tensor<4x5xi1>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.select %p, %a, %a : tensor<4x5xi1>, tensor<4x5xf32>
  %1 = stablehlo.slice %0 [0:4, 0:5] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.pad %1, %zero, low = [0, 0], high = [0, 0], interior = [0, 0]
    : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = stablehlo.optimization_barrier %3 : tensor<4x5xf32>
  // CHECK-NOT: call
  // CHECK: return %[[A]], %[[A]], %[[A]], %[[A]], %[[A]]
  return %0, %1, %2, %3, %4 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>,
    tensor<4x5xf32>
}

// Some that look like it move elements.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT: call @stage.0
func.func @others(%a: tensor<5x5xf32>, %b: tensor<5x5xf32>, %p: tensor<5x5xi1>)
    -> (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.select %p, %a, %b : tensor<5x5xi1>, tensor<5x5xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %2 = stablehlo.pad %a, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0]
    : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xf32>
  return %0, %1, %2 : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
}

// What a loop only hands on is not carried by it.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[N:.*]]: tensor<i32>, %[[A:.*]]: tensor<4x5xf32>
// CHECK-NEXT: %[[COUNT:.*]] = call @stage.1(%[[N]])
// CHECK-NEXT: return %[[COUNT]], %[[A]]
// CHECK: func.func private @stage.0
// CHECK-DAG: stablehlo.select
// CHECK-DAG: stablehlo.broadcast_in_dim
// CHECK-DAG: stablehlo.pad
// CHECK: func.func private @stage.1
// CHECK-NEXT: stablehlo.while(%{{.*}} = %{{.*}}) : tensor<i32>
func.func @loop(%n: tensor<i32>, %a: tensor<4x5xf32>, %p: tensor<4x5xi1>)
    -> (tensor<i32>, tensor<4x5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4x5xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %same = stablehlo.select %p, %x, %x : tensor<4x5xi1>, tensor<4x5xf32>
    stablehlo.return %next, %same : tensor<i32>, tensor<4x5xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<4x5xf32>
}
