// A stable merge sort of rows; the sorted dimension comes last and goes back.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// One element is sorted.
// CHECK-LABEL: @single
// CHECK-NEXT: return %arg0
func.func @single(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// The right one of two goes first only if the comparator says so of (right, left).
// CHECK-LABEL: @main
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<8x2xf32>) outs(%{{.*}} : tensor<2x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<8x2xi32>) outs(%{{.*}} : tensor<2x8xi32>)
// CHECK: call @shlo.sort.0({{.*}}) : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<2x8xf32>, tensor<2x8xi32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xi32>)
// CHECK: func.func private @shlo.sort.0(
// CHECK-SAME: shlo.kernel = {is_stable = true, kind = "sort"}
// CHECK: scf.for {{.*}} iter_args(%[[LEFT_AT:.*]] = %{{.*}}, %[[RIGHT_AT:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (index, index,
// CHECK: %[[L:.*]] = arith.minsi %[[LEFT_AT]],
// CHECK: %[[LEFT:.*]] = tensor.extract {{.*}} : tensor<2x8xf32>
// CHECK: %[[R:.*]] = arith.minsi %[[RIGHT_AT]],
// CHECK: %[[RIGHT:.*]] = tensor.extract {{.*}} : tensor<2x8xf32>
// CHECK: arith.cmpf olt, %[[RIGHT]], %[[LEFT]] : f32
func.func @main(%k: tensor<8x2xf32>, %v: tensor<8x2xi32>) -> (tensor<8x2xf32>, tensor<8x2xi32>) {
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x2xf32>, tensor<8x2xi32>) -> (tensor<8x2xf32>, tensor<8x2xi32>)
  return %0#0, %0#1 : tensor<8x2xf32>, tensor<8x2xi32>
}
