// Concatenations, slices, padding, and reading and writing at constant positions.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @concatenate
// CHECK-NEXT: %[[A:.*]] = stablehlo.concatenate %arg0, %arg1, dim = 0
// CHECK-NEXT: %[[B:.*]] = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0
// CHECK-NEXT: return %arg0, %[[A]], %[[B]]
func.func @concatenate(%x: tensor<2xf32>, %y: tensor<3xf32>, %e: tensor<0xf32>)
    -> (tensor<2xf32>, tensor<5xf32>, tensor<7xf32>) {
  %0 = stablehlo.concatenate %e, %x, dim = 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.concatenate %x, %e, %y, dim = 0
    : (tensor<2xf32>, tensor<0xf32>, tensor<3xf32>) -> tensor<5xf32>
  %a = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %2 = stablehlo.concatenate %a, %x, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<5xf32>, tensor<7xf32>
}

// CHECK-LABEL: @neighbours
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg0 [1:6, 0:2]
// CHECK-NEXT: return %[[A]], %arg0
func.func @neighbours(%x: tensor<6x2xf32>) -> (tensor<5x2xf32>, tensor<6x2xf32>) {
  %a = stablehlo.slice %x [0:1, 0:2] : (tensor<6x2xf32>) -> tensor<1x2xf32>
  %b = stablehlo.slice %x [1:4, 0:2] : (tensor<6x2xf32>) -> tensor<3x2xf32>
  %c = stablehlo.slice %x [4:6, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
  %0 = stablehlo.concatenate %b, %c, dim = 0 : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  %1 = stablehlo.concatenate %a, %b, %c, dim = 0
    : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
  return %0, %1 : tensor<5x2xf32>, tensor<6x2xf32>
}

// Not where the second one starts elsewhere, or another dimension differs.
// CHECK-LABEL: @no_neighbours
// CHECK-COUNT-3: stablehlo.slice
// CHECK-COUNT-2: stablehlo.concatenate
func.func @no_neighbours(%x: tensor<6x2xf32>) -> (tensor<2x2xf32>, tensor<1x4xf32>) {
  %a = stablehlo.slice %x [0:1, 0:2] : (tensor<6x2xf32>) -> tensor<1x2xf32>
  %b = stablehlo.slice %x [2:3, 0:2] : (tensor<6x2xf32>) -> tensor<1x2xf32>
  %c = stablehlo.slice %x [1:2, 0:2] : (tensor<6x2xf32>) -> tensor<1x2xf32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.concatenate %a, %c, dim = 1 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<1x4xf32>
}

// x[1:9:2] has elements 1, 3, 5, 7; [1:4:2] of those are 3 and 7.
// CHECK-LABEL: @slice
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg0 [3:8:4] : (tensor<9xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %arg0, %[[A]]
func.func @slice(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<2xf32>) {
  %0 = stablehlo.slice %x [0:9] : (tensor<9xf32>) -> tensor<9xf32>
  %a = stablehlo.slice %x [1:9:2] : (tensor<9xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %a [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<9xf32>, tensor<2xf32>
}

// CHECK-LABEL: @slice_of_concatenate
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg1 [1:3] : (tensor<3xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[A]], %arg0
func.func @slice_of_concatenate(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.concatenate %x, %y, %x, dim = 0
    : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
  %0 = stablehlo.slice %a [3:5] : (tensor<7xf32>) -> tensor<2xf32>
  %1 = stablehlo.slice %a [5:7] : (tensor<7xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @slice_of_some
// CHECK-NEXT: %[[A:.*]] = stablehlo.concatenate %arg1, %arg0, dim = 0 : {{.*}} -> tensor<5xf32>
// CHECK-NEXT: stablehlo.slice %[[A]] [1:4] : (tensor<5xf32>) -> tensor<3xf32>
func.func @slice_of_some(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %a = stablehlo.concatenate %x, %y, %x, dim = 0
    : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
  %0 = stablehlo.slice %a [3:6] : (tensor<7xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Repetitions can be cut off, not what is repeated.
// CHECK-LABEL: @slice_of_broadcast
// CHECK: stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.slice %{{.*}} [0:5, 1:3]
func.func @slice_of_broadcast(%x: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<5x2xf32>) {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %0 = stablehlo.slice %a [1:5:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.slice %a [0:5, 1:3] : (tensor<5x3xf32>) -> tensor<5x2xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<5x2xf32>
}

// CHECK-LABEL: @pad
// CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.slice %arg0 [1:3] : (tensor<4xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %arg0, %[[A]], %[[B]]
func.func @pad(%x: tensor<4xf32>, %s: tensor<f32>, %e: tensor<0xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.pad %e, %s, low = [1], high = [1], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.pad %x, %s, low = [-1], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}

// As many elements as before, but others.
// CHECK-LABEL: @shifted
// CHECK: stablehlo.pad
func.func @shifted(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.pad %x, %s, low = [-1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A start outside moves inside: 9 becomes 2, -3 becomes 0.
// CHECK-LABEL: @positions
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg0 [2:4, 0:2] : (tensor<4x3xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %[[A]], %arg0, %arg1
func.func @positions(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %i: tensor<i32>)
    -> (tensor<2x2xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %high = stablehlo.constant dense<9> : tensor<i32>
  %low = stablehlo.constant dense<-3> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %high, %low, sizes = [2, 2]
    : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 3]
    : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  %2 = stablehlo.dynamic_update_slice %x, %y, %i, %i
    : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// Row 7 of 4 is row 3, columns start at 1.
// CHECK-LABEL: @gather
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg0 [3:4, 1:3] : (tensor<4x3xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: stablehlo.reshape %[[A]] : (tensor<1x2xf32>) -> tensor<2xf32>
func.func @gather(%x: tensor<4x3xf32>) -> tensor<2xf32> {
  %i = stablehlo.constant dense<[1, 7]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0],
    collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 0>,
    slice_sizes = array<i64: 1, 2>} : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The dimension that is left out may be cut to nothing; there is something all the same.
// CHECK-LABEL: @gather_of_nothing_left_out
// CHECK: stablehlo.gather
func.func @gather_of_nothing_left_out(%x: tensor<4x3xf32>) -> tensor<2xf32> {
  %i = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0],
    collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 0>,
    slice_sizes = array<i64: 0, 2>} : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
