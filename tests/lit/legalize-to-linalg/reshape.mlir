// The order of elements stays: dimensions are joined and split, through one dimension if need be.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @joined
// CHECK-NEXT: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
func.func @joined(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// No group of dimensions of one is a dimension of the other.
// CHECK-LABEL: @regrouped
// CHECK-NEXT: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK-NEXT: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [3, 2]
func.func @regrouped(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @from_scalar
// CHECK-NEXT: tensor.expand_shape %arg0 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @from_scalar(%x: tensor<f32>) -> tensor<1x1xf32> {
  %0 = stablehlo.reshape %x : (tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// Sizes with a zero do not tell which dimensions belong together.
// CHECK-LABEL: @empty
// CHECK-NEXT: tensor.empty() : tensor<5x0xf32>
func.func @empty(%x: tensor<0x2xf32>) -> tensor<5x0xf32> {
  %0 = stablehlo.reshape %x : (tensor<0x2xf32>) -> tensor<5x0xf32>
  return %0 : tensor<5x0xf32>
}
