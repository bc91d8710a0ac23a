// New dimensions come first.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @main
// CHECK: stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<3x1xf32>) -> tensor<2x0x3x1xf32>
func.func @main(%a: tensor<3x1xf32>) -> tensor<2x0x3x1xf32> {
  %0 = stablehlo.broadcast %a, sizes = [2, 0] : (tensor<3x1xf32>) -> tensor<2x0x3x1xf32>
  return %0 : tensor<2x0x3x1xf32>
}

// CHECK-LABEL: @scalar
// CHECK: stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui8>) -> tensor<4xui8>
func.func @scalar(%a: tensor<ui8>) -> tensor<4xui8> {
  %0 = stablehlo.broadcast %a, sizes = [4] : (tensor<ui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
