// Constants that are moved, joined, counted or cut.
// RUN: %shlo-opt %s --shlo-fold | FileCheck %s

// CHECK-LABEL: @moved
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}3], [6]]> : tensor<2x1xi32>
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}4, 5, 6], [1, 2, 3]]> : tensor<2x3xi32>
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi32>
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}1, 2, 3, 9], [4, 5, 6, 9]]> : tensor<2x4xi32>
// CHECK-NEXT: return
func.func @moved() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x3xi32>,
    tensor<4x3xi32>, tensor<2x4xi32>) {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %2 = stablehlo.slice %x [0:2, 2:3] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %3 = stablehlo.reverse %x, dims = [0] : tensor<2x3xi32>
  %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  %5 = stablehlo.pad %x, %nine, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x4xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x1xi32>,
    tensor<2x3xi32>, tensor<4x3xi32>, tensor<2x4xi32>
}

// CHECK-LABEL: @positions
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<[1, 9, 3, 4]> : tensor<4xi32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[4, 1]> : tensor<2xi32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @positions() -> (tensor<2xi32>, tensor<4xi32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %nine = stablehlo.constant dense<9> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %far = stablehlo.constant dense<8> : tensor<i32>
  %i = stablehlo.constant dense<[[7], [0]]> : tensor<2x1xi32>
  %0 = stablehlo.dynamic_slice %x, %far, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %1 = stablehlo.dynamic_update_slice %x, %nine, %one : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}
    : (tensor<4xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<4xi32>, tensor<2xi32>
}

// Shape arithmetic as exporters leave it.
// CHECK-LABEL: @shapes
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<24> : tensor<i32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @shapes(%x: tensor<4x3xf32>) -> (tensor<2xi32>, tensor<i32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x3xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x3xf32>) -> tensor<i32>
  %k = stablehlo.multiply %m, %two : tensor<i32>
  %a = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [0]
    : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1 : tensor<2xi32>, tensor<i32>
}

// A broadcast and a count are cheaper than their results, until something is computed of them.
// CHECK-LABEL: @spreading
// CHECK-DAG: %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<100xi32>
// CHECK-DAG: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<2xi32>) -> tensor<100x2xi32>
// CHECK-DAG: %[[SPLAT:.*]] = stablehlo.constant dense<7> : tensor<100000x100000xi32>
// CHECK-DAG: %[[FEW:.*]] = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
// CHECK-DAG: %[[SUM:.*]] = stablehlo.constant dense<[0, 2, 4, {{[0-9, ]*}}, 198]> : tensor<100xi32>
// CHECK: return %[[IOTA]], %[[WIDE]], %[[SPLAT]], %[[FEW]], %[[SUM]]
func.func @spreading() -> (tensor<100xi32>, tensor<100x2xi32>, tensor<100000x100000xi32>, tensor<3xi32>, tensor<100xi32>) {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.iota dim = 0 : tensor<100xi32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi32>) -> tensor<100x2xi32>
  %2 = stablehlo.broadcast_in_dim %seven, dims = [] : (tensor<i32>) -> tensor<100000x100000xi32>
  %3 = stablehlo.iota dim = 0 : tensor<3xi32>
  %4 = stablehlo.add %0, %0 : tensor<100xi32>
  return %0, %1, %2, %3, %4 : tensor<100xi32>, tensor<100x2xi32>, tensor<100000x100000xi32>, tensor<3xi32>, tensor<100xi32>
}

// What has one operand that is not constant stays, and so do unknown sizes and effects.
// CHECK-LABEL: @stay
// CHECK: stablehlo.add %arg0
// CHECK: stablehlo.dynamic_iota
// CHECK: stablehlo.custom_call
func.func @stay(%x: tensor<i32>) -> (tensor<i32>, tensor<?xi32>, tensor<i32>) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.add %x, %c : tensor<i32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %2 = stablehlo.custom_call @any(%c) : (tensor<i32>) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<?xi32>, tensor<i32>
}
