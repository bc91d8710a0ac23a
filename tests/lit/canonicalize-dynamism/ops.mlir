// A dynamic op of constant sizes is a static op; what only computed the sizes goes with it.
// RUN: %shlo-opt %s --shlo-canonicalize-dynamism | FileCheck %s

// CHECK-LABEL: @dynamic_broadcast_in_dim
// CHECK-NEXT: %[[R:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @dynamic_broadcast_in_dim(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %s = stablehlo.concatenate %two, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @dynamic_conv
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1)
// CHECK-SAME: pad = {{\[\[}}1, 0], [0, 2]]
func.func @dynamic_conv(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x7x8x16xf32> {
  %p = stablehlo.constant dense<[[1, 0], [0, 2]]> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>, tensor<2x2xi32>) -> tensor<1x7x8x16xf32>
  return %0 : tensor<1x7x8x16xf32>
}

// CHECK-LABEL: @dynamic_gather
// CHECK-NEXT: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: slice_sizes = array<i64: 1, 2>
func.func @dynamic_gather(%x: tensor<4x2xf32>, %i: tensor<3x1xi32>) -> tensor<3x1x2xf32> {
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<4x2xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x1x2xf32>
  return %0 : tensor<3x1x2xf32>
}

// CHECK-LABEL: @dynamic_iota
// CHECK-NEXT: stablehlo.iota dim = 1 : tensor<3x2xi32>
func.func @dynamic_iota() -> tensor<3x2xi32> {
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// CHECK-LABEL: @dynamic_pad
// CHECK-NEXT: stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 2], interior = [2, 0]
func.func @dynamic_pad(%x: tensor<3x2xf32>, %v: tensor<f32>) -> tensor<8x3xf32> {
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi32>
  %high = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
  %inner = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %low, %high, %inner : (tensor<3x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @dynamic_reshape
// CHECK-NEXT: stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<6x2xf32>
func.func @dynamic_reshape(%x: tensor<3x4xf32>) -> tensor<6x2xf32> {
  %s = stablehlo.constant dense<[6, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}

// CHECK-LABEL: @real_dynamic_slice
// CHECK-NEXT: stablehlo.slice %arg0 [1:7:2] : (tensor<8xf32>) -> tensor<3xf32>
func.func @real_dynamic_slice(%x: tensor<8xf32>) -> tensor<3xf32> {
  %a = stablehlo.constant dense<1> : tensor<1xi32>
  %b = stablehlo.constant dense<7> : tensor<1xi32>
  %c = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// From where only the program knows, with a constant size: a slice that is moved inside.
// CHECK-LABEL: @window
// CHECK-NEXT: %[[V:.*]] = stablehlo.slice %arg1 [0:1] : (tensor<1xi32>) -> tensor<1xi32>
// CHECK-NEXT: %[[I:.*]] = stablehlo.reshape %[[V]] : (tensor<1xi32>) -> tensor<i32>
// CHECK-NEXT: stablehlo.dynamic_slice %arg0, %[[I]], sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
func.func @window(%x: tensor<8xf32>, %a: tensor<1xi32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %b = stablehlo.add %three, %a : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %one : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @custom_call
// CHECK-NEXT: stablehlo.custom_call @f(%arg0) {foo = 1 : i32} : (tensor<4xf32>) -> tensor<2x4xf32>
func.func @custom_call(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %0 = stablehlo.custom_call @f(%x, %s) {foo = 1 : i32, indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// What has an unknown size, or is computed from what the program is given, stays.
// CHECK-LABEL: @stays
// CHECK: stablehlo.dynamic_reshape
// CHECK: stablehlo.dynamic_iota
func.func @stays(%x: tensor<4xf32>, %n: tensor<1xi32>) -> (tensor<?x?xf32>, tensor<4xi32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>
  return %0, %1 : tensor<?x?xf32>, tensor<4xi32>
}
