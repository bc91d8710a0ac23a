// Processes that do not communicate are calls; those that ask which one they are get copies of
// their functions, in which the answers are constants.
// RUN: %shlo-opt %s --shlo-legalize-check --split-input-file | FileCheck %s

// CHECK-LABEL: @grid
// CHECK-NEXT: %[[A:.*]] = call @plain(%arg0) : (tensor<ui32>) -> tensor<ui32>
// CHECK-NEXT: %[[B:.*]] = call @asks.0.1() : () -> tensor<ui32>
// CHECK-NEXT: %[[C:.*]] = call @asks.1.0() : () -> tensor<ui32>
// CHECK-NEXT: %[[D:.*]] = call @plain(%arg1) : (tensor<ui32>) -> tensor<ui32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @grid(%a: tensor<ui32>, %b: tensor<ui32>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>) {
  %0:4 = "interpreter.run_parallel"(%a, %b) {programs = [[@plain, @asks], [@asks, @plain]]}
    : (tensor<ui32>, tensor<ui32>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>
}
func.func private @plain(%a: tensor<ui32>) -> tensor<ui32> {
  return %a : tensor<ui32>
}
// CHECK-LABEL: func.func private @asks()
// CHECK-NEXT: %[[P:.*]] = stablehlo.partition_id
// CHECK: func.func private @asks.1.0()
// CHECK-NEXT: %[[P:.*]] = stablehlo.constant dense<0> : tensor<ui32>
// CHECK-NEXT: %[[R:.*]] = call @replica.1.0()
// CHECK: func.func private @asks.0.1()
// CHECK-NEXT: %[[P:.*]] = stablehlo.constant dense<1> : tensor<ui32>
// CHECK-NEXT: %[[R:.*]] = call @replica.0.1()
func.func private @asks() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = call @replica() : () -> tensor<ui32>
  %2 = stablehlo.add %0, %1 : tensor<ui32>
  return %2 : tensor<ui32>
}
// CHECK-LABEL: func.func private @replica()
// CHECK: func.func private @replica.1.0()
// CHECK-NEXT: stablehlo.constant dense<1> : tensor<ui32>
// CHECK: func.func private @replica.0.1()
// CHECK-NEXT: stablehlo.constant dense<0> : tensor<ui32>
func.func private @replica() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

// Of processes that communicate the host runs a grid; their functions are a module of its own.
// CHECK-LABEL: func.func @talks
// CHECK: %[[R:.*]]:2 = stablehlo.custom_call @shlo.process.run_parallel(%arg0, %arg0)
// CHECK-SAME: module = "{{.*}}func.func private @sends
// CHECK-SAME: {{\[\[}}"sends", "sends"]]
// CHECK: return
func.func @talks(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@sends, @sends]]}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}
func.func private @sends(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) {
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
