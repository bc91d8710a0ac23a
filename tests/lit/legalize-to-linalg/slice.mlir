// A slice is its offsets, sizes and strides; the last stride may be cut short.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @strided
// CHECK-NEXT: tensor.extract_slice %arg0[1, 2] [2, 2] [1, 3] : tensor<3x8xf32> to tensor<2x2xf32>
func.func @strided(%x: tensor<3x8xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.slice %x [1:3, 2:7:3] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// An empty slice at the end of a dimension has no offset that MLIR accepts.
// CHECK-LABEL: @empty
// CHECK-NEXT: tensor.empty() : tensor<0xf32>
func.func @empty(%x: tensor<4xf32>) -> tensor<0xf32> {
  %0 = stablehlo.slice %x [4:4] : (tensor<4xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
