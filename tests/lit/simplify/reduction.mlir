// Reductions and sorts of nothing, of one element, or of values that nobody wants.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @of_nothing
// CHECK-NEXT: stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
func.func @of_nothing(%x: tensor<0x3xf32>, %s: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0]
    : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// 0.0 + -0.0 is 0.0: only -0.0 is no addend at all.
// CHECK-LABEL: @of_one
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<3x1xf32>) -> tensor<3xf32>
// CHECK: %[[B:.*]] = stablehlo.reshape %arg0
// CHECK: %[[ADD:.*]] = stablehlo.add %[[B]], %{{.*}} : tensor<3xf32>
// CHECK: %[[C:.*]] = stablehlo.reshape %arg0
// CHECK: return %[[A]], %[[ADD]], %[[C]]
func.func @of_one(%x: tensor<3x1xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %minus_zero) applies stablehlo.add across dimensions = [1]
    : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// A body that computes in wider numbers is left alone.
// CHECK-LABEL: @promoted
// CHECK: stablehlo.reduce
func.func @promoted(%x: tensor<1xbf16>, %s: tensor<bf16>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %s) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<1xbf16>, tensor<bf16>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @of_the_same
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @of_the_same(%x: tensor<2x3xi32>, %s: tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = "stablehlo.reduce"(%x, %s) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.constant dense<7> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  %1 = "stablehlo.reduce"(%x, %s) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}

// The maximum does not depend on the sum; the sum depends on the maximum.
// CHECK-LABEL: @reduce_less
// CHECK: %[[MAX:.*]] = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.maximum across dimensions = [0]
// CHECK: return %[[MAX]]
func.func @reduce_less(%x: tensor<4xi32>, %y: tensor<4xi32>, %s: tensor<i32>) -> tensor<i32> {
  %0:2 = "stablehlo.reduce"(%x, %y, %s, %s) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %m = stablehlo.maximum %a, %c : tensor<i32>
    %e = stablehlo.add %b, %d : tensor<i32>
    %n = stablehlo.add %e, %m : tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %0#0 : tensor<i32>
}

// CHECK-LABEL: @reduce_all
// CHECK: stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg2)
func.func @reduce_all(%x: tensor<4xi32>, %y: tensor<4xi32>, %s: tensor<i32>) -> tensor<i32> {
  %0:2 = "stablehlo.reduce"(%x, %y, %s, %s) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %m = stablehlo.maximum %a, %c : tensor<i32>
    %e = stablehlo.add %b, %d : tensor<i32>
    %n = stablehlo.add %e, %m : tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %0#1 : tensor<i32>
}

// CHECK-LABEL: @sort
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}>
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i32>, %[[B:.*]]: tensor<i32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK-NEXT: stablehlo.compare LT, %[[A]], %[[B]]
// CHECK: return %[[S]]#1, %arg3
func.func @sort(%key: tensor<4xi32>, %x: tensor<4xf32>, %y: tensor<4xf32>, %one: tensor<4x1xi32>)
    -> (tensor<4xf32>, tensor<4x1xi32>) {
  %0:3 = "stablehlo.sort"(%key, %x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  %1 = "stablehlo.sort"(%one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<4x1xi32>) -> tensor<4x1xi32>
  return %0#1, %1 : tensor<4xf32>, tensor<4x1xi32>
}
