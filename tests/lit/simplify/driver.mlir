// What is common to all rules: dead ops, empty tensors, attributes, locations, functions.
// RUN: %shlo-opt %s --shlo-simplify --mlir-print-debuginfo | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(func.func(shlo-simplify))' --mlir-print-debuginfo | FileCheck %s

// CHECK-LABEL: @dead
// CHECK-NEXT: stablehlo.custom_call @effect
// CHECK-NEXT: stablehlo.rng
// CHECK: call @callee
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>, %shape: tensor<1xi64>, %a: tensor<f32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  %2 = chlo.erf %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.custom_call @pure(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "stablehlo.rng"(%a, %a, %shape) {rng_distribution = #stablehlo<rng_distribution NORMAL>}
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %6 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<4xf32>):
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: @empty
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<> : tensor<0x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<> : tensor<0xf32>
// CHECK-NEXT: stablehlo.custom_call @effect
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @empty(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0xf32>) {
  %0 = stablehlo.sine %x : tensor<0x3xf32>
  %1 = stablehlo.custom_call @pure(%0) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %2 = stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<0x3xf32>) -> tensor<0xf32>
  return %1, %2 : tensor<0x3xf32>, tensor<0xf32>
}

// Attributes of other dialects and the location go to what stands for the op now.
// CHECK-LABEL: @attributes
// CHECK: stablehlo.add %arg0, %{{.*}} {mhlo.frontend_attributes = {a = "b"}} : tensor<4xi32> loc(#[[SUM:.*]])
// CHECK: stablehlo.reshape %arg0 {mhlo.sharding = "{replicated}"} : {{.*}} loc(#[[MOVE:.*]])
// CHECK-DAG: #[[SUM]] = loc("sum")
// CHECK-DAG: #[[MOVE]] = loc("move")
func.func @attributes(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<2x2xi32>) {
  %c = stablehlo.constant dense<3> : tensor<4xi32>
  %0 = stablehlo.add %c, %x {mhlo.frontend_attributes = {a = "b"}} : tensor<4xi32> loc("sum")
  %a = stablehlo.reshape %x : (tensor<4xi32>) -> tensor<4x1xi32>
  %1 = stablehlo.reshape %a {mhlo.sharding = "{replicated}"} : (tensor<4x1xi32>) -> tensor<2x2xi32> loc("move")
  return %0, %1 : tensor<4xi32>, tensor<2x2xi32>
}
