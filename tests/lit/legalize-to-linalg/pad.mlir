// Padding may be negative, and stand between elements: what is kept is cut out, then spread.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Elements lie at -1, 2, 5, 8 of 7 positions: those at 2 and 5 stay.
// CHECK-LABEL: @negative_and_interior
// CHECK: %[[PAD:.*]] = tensor.extract %arg1[]
// CHECK: %[[FILLED:.*]] = linalg.generic {{.*}} ins(%[[PAD]] : f32) outs(%{{.*}} : tensor<7xf32>)
// CHECK: %[[KEPT:.*]] = tensor.extract_slice %arg0[1] [2] [1]
// CHECK: tensor.insert_slice %[[KEPT]] into %[[FILLED]][2] [2] [3]
func.func @negative_and_interior(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  %0 = stablehlo.pad %x, %v, low = [-1], high = [-2], interior = [2]
    : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: @around
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<5x3xf32>
func.func @around(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<5x3xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, 0], high = [2, 0], interior = [0, 0]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// Nothing of the operand is left.
// CHECK-LABEL: @all_cut
// CHECK-NOT: _slice
// CHECK: return
func.func @all_cut(%x: tensor<2xf32>, %v: tensor<f32>) -> tensor<1xf32> {
  %0 = stablehlo.pad %x, %v, low = [-3], high = [2], interior = [0]
    : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Of unknown sizes, nothing is cut off where no padding is negative.
// CHECK-LABEL: @unknown
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.insert_slice
func.func @unknown(%x: tensor<?x?xf32>, %v: tensor<f32>) -> tensor<?x?xf32> {
  %0 = stablehlo.pad %x, %v, low = [2, 0], high = [0, 0], interior = [2, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
