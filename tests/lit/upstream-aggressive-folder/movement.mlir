// What moves elements is folded; limits count elements of results, where a result may be large.
// RUN: stablehlo-opt %s --stablehlo-aggressive-folder --split-input-file | FileCheck %s
// RUN: stablehlo-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-aggressive-folder{fold-op-element-limit=3}))' --split-input-file | FileCheck %s --check-prefix=LIMIT

// CHECK-LABEL: func.func @places
// CHECK-DAG: %[[JOINED:.+]] = stablehlo.constant dense<[1, 2, 2, 1]> : tensor<4xi32>
// CHECK-DAG: %[[SHAPED:.+]] = stablehlo.constant dense<{{\[\[}}1], [2]]> : tensor<2x1xi32>
// CHECK-DAG: %[[CUT:.+]] = stablehlo.constant dense<2> : tensor<1xi32>
// CHECK-DAG: %[[TURNED:.+]] = stablehlo.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK: return %[[JOINED]], %[[SHAPED]], %[[CUT]], %[[TURNED]]
// LIMIT-LABEL: func.func @places
// LIMIT: stablehlo.concatenate
// LIMIT-NOT: stablehlo.{{(reshape|slice|transpose)}}
// LIMIT: return
func.func @places() -> (tensor<4xi32>, tensor<2x1xi32>, tensor<1xi32>, tensor<2x2xi32>) {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = stablehlo.reverse %a, dims = [0] : tensor<2xi32>
  %0 = stablehlo.concatenate %a, %r, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %1 = stablehlo.reshape %a : (tensor<2xi32>) -> tensor<2x1xi32>
  %2 = stablehlo.slice %a [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %m = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %3 = stablehlo.transpose %m, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<2x1xi32>, tensor<1xi32>, tensor<2x2xi32>
}

// -----

// Only what repeats one element is broadcast.
// CHECK-LABEL: func.func @broadcast
// CHECK-DAG: %[[SAME:.+]] = stablehlo.constant dense<7> : tensor<100000xi32>
// CHECK: %[[LEFT:.+]] = stablehlo.broadcast_in_dim
// CHECK: return %[[SAME]], %[[LEFT]]
func.func @broadcast() -> (tensor<100000xi32>, tensor<2x2xi32>) {
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<100000xi32>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xi32>) -> tensor<2x2xi32>
  return %0, %1 : tensor<100000xi32>, tensor<2x2xi32>
}

// -----

// Neighbours that repeat the same element become one, whatever else is joined.
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: %[[X:.+]]: tensor<2xf32>
// CHECK: %[[FOUR:.+]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[JOINED:.+]] = stablehlo.concatenate %[[X]], %[[FOUR]], dim = 0
// CHECK: return %[[JOINED]]
func.func @neighbours(%x: tensor<2xf32>) -> tensor<6xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.concatenate %x, %c, %c, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// A choice by elements is made for integers only; one choice for all takes the constant.
// CHECK-LABEL: func.func @select
// CHECK-DAG: %[[ONES:.+]] = stablehlo.constant dense<[1.000000e+00, 1.500000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[MIXED:.+]] = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
// CHECK: %[[LEFT:.+]] = stablehlo.select
// CHECK: return %[[ONES]], %[[MIXED]], %[[LEFT]]
func.func @select() -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %a = stablehlo.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %b = stablehlo.constant dense<[2.0, 2.5]> : tensor<2xf32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %j = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.select %t, %a, %b : tensor<i1>, tensor<2xf32>
  %1 = stablehlo.select %p, %i, %j : tensor<2xi1>, tensor<2xi32>
  %2 = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
}

// -----

// Sizes that types tell are constants; bounded sizes are not told. Long ranges stay as they are.
// CHECK-LABEL: func.func @sizes
// CHECK-DAG: %[[TWO:.+]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK-DAG: %[[ZERO:.+]] = stablehlo.constant dense<0> : tensor<1xi32>
// CHECK: %[[BOUNDED:.+]] = stablehlo.get_dimension_size
// CHECK: %[[LONG:.+]] = stablehlo.iota
// CHECK: return %[[TWO]], %[[BOUNDED]], %[[ZERO]], %[[LONG]]
func.func @sizes(%x: tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> (tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<2xi32>) {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<i32>
  %2 = stablehlo.iota dim = 0 : tensor<1xi32>
  %3 = stablehlo.iota dim = 0 : tensor<2xi32>
  return %0, %1, %2, %3 : tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<2xi32>
}

// -----

// Constants stand once each at the start of the function, those of regions as well, and what is
// dead is gone.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[C:.+]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: "stablehlo.if"
// CHECK-NEXT: stablehlo.return %[[C]]
// CHECK-NEXT: }, {
// CHECK-NEXT: stablehlo.return %[[C]]
// CHECK-NOT: stablehlo.tanh
func.func @constants(%p: tensor<i1>, %x: tensor<f32>) -> tensor<i32> {
  %dead = stablehlo.tanh %x : tensor<f32>
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
