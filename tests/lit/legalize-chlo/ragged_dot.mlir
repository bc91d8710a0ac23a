// Three modes, by what the ragged dimension of lhs does in the dot product.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// A free dimension: rows times every group's matrix, of which the mask keeps one.
// CHECK-LABEL: @rows
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x3xf32>, tensor<4x3x5xf32>) -> tensor<8x4x5xf32>
// CHECK: stablehlo.select %{{.*}}, %[[ALL]]
// CHECK: stablehlo.reduce{{.*}} across dimensions = [1]
func.func @rows(%x: tensor<8x3xf32>, %y: tensor<4x3x5xf32>, %sizes: tensor<4xi32>) -> tensor<8x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) <{precision_config = [#chlo<precision HIGHEST>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x3xf32>, tensor<4x3x5xf32>, tensor<4xi32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// A contracting dimension: a product per group, of operands cut to the group.
// CHECK-LABEL: @sums
// CHECK: stablehlo.select %{{.*}} : tensor<4x8x3xi1>, tensor<4x8x3xf32>
// CHECK: stablehlo.select %{{.*}} : tensor<4x8x5xi1>, tensor<4x8x5xf32>
// CHECK: stablehlo.dot_general %{{.*}}, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x8x3xf32>, tensor<4x8x5xf32>) -> tensor<4x3x5xf32>
func.func @sums(%x: tensor<8x3xf32>, %y: tensor<8x5xf32>, %sizes: tensor<4xi32>) -> tensor<4x3x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<8x3xf32>, tensor<8x5xf32>, tensor<4xi32>) -> tensor<4x3x5xf32>
  return %0 : tensor<4x3x5xf32>
}

// A batching dimension: groups change nothing.
// CHECK-LABEL: @batches
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK-NEXT: return
func.func @batches(%x: tensor<6x8x3xf32>, %y: tensor<6x3x5xf32>, %sizes: tensor<4xi32>) -> tensor<6x8x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<6x8x3xf32>, tensor<6x3x5xf32>, tensor<4xi32>) -> tensor<6x8x5xf32>
  return %0 : tensor<6x8x5xf32>
}
