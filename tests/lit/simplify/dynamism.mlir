// Ops whose sizes are operands, where those are constants that agree with the types.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @static
// CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.iota dim = 0 : tensor<4xi32>
// CHECK-NEXT: %[[D:.*]] = stablehlo.pad %arg0, %arg1, low = [1], high = [0], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: %[[E:.*]] = stablehlo.slice %arg0 [0:3:2] : (tensor<3xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[F:.*]] = stablehlo.constant dense<3> : tensor<i32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
func.func @static(%x: tensor<3xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<3x1xf32>,
    tensor<4xi32>, tensor<6xf32>, tensor<2xf32>, tensor<i32>) {
  %wide = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %column = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %wide, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_reshape %x, %column : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  %2 = stablehlo.dynamic_iota %four, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>
  %3 = stablehlo.dynamic_pad %x, %s, %one, %zero, %one
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>
  %4 = stablehlo.real_dynamic_slice %x, %zero, %three, %two
    : (tensor<3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  %5 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<3x1xf32>, tensor<4xi32>, tensor<6xf32>,
    tensor<2xf32>, tensor<i32>
}

// CHECK-LABEL: @gather
// CHECK: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1
// CHECK-SAME: slice_sizes = array<i64: 1, 2>
func.func @gather(%x: tensor<4x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<
    offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}
    : (tensor<4x2xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @convolution
// CHECK: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f]
// CHECK-SAME: {{pad = \[\[}}1, 0]]
func.func @convolution(%x: tensor<1x4x1xf32>, %w: tensor<2x1x1xf32>) -> tensor<1x4x1xf32> {
  %padding = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %padding) {batch_group_count = 1 : i64,
    feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}
    : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// Sizes that nothing knows, that contradict the operand, or that the type does not tell.
// CHECK-LABEL: @stay
// CHECK: stablehlo.dynamic_reshape %arg0, %arg1
// CHECK: stablehlo.real_dynamic_slice
// CHECK: stablehlo.dynamic_iota
func.func @stay(%x: tensor<6xf32>, %shape: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<?xi32>) {
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %seven = stablehlo.constant dense<7> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %1 = stablehlo.real_dynamic_slice %x, %four, %seven, %one
    : (tensor<6xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  %2 = stablehlo.dynamic_iota %four, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3xf32>, tensor<?xi32>
}

// CHECK-LABEL: @unknown_sizes
// CHECK-NEXT: %[[A:.*]] = stablehlo.dynamic_reshape %arg0, %arg2 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
// CHECK-NEXT: return %[[A]], %arg0
func.func @unknown_sizes(%x: tensor<?xf32>, %s: tensor<3xi32>, %t: tensor<2xi32>, %u: tensor<1xi32>)
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %a = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  %0 = stablehlo.dynamic_reshape %a, %t : (tensor<?x?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%x, %u) {broadcast_dimensions = array<i64: 0>,
    known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
}

// A result is never replaced by a value of another type.
// CHECK-LABEL: @types_differ
// CHECK: stablehlo.add %arg0, %arg1 : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[MAX:.*]] = stablehlo.maximum %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
func.func @types_differ(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = stablehlo.add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.maximum %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
