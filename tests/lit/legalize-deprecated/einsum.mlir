// One dot product: letters that both operands and the result have are its batch, letters that the
// result lacks are contracted. What is more than that happens before and after.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @product
// CHECK: %[[P:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
// CHECK-NEXT: return %[[P]]
func.func @product(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik"
    : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @batch
// CHECK: %[[P:.*]] = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [0], contracting_dims = [2] x [1]
// CHECK: stablehlo.transpose %[[P]], dims = [2, 1, 0] : (tensor<5x2x4xf32>) -> tensor<4x2x5xf32>
func.func @batch(%a: tensor<2x5x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<4x2x5xf32> {
  %0 = stablehlo.einsum %a, %b, config = "ibj, bjk -> kib"
    : (tensor<2x5x3xf32>, tensor<5x3x4xf32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}

// A letter that only one operand has is summed first; 16-bit floats are summed in f32.
// CHECK-LABEL: @alone
// CHECK: %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[WIDE]] {{.*}} applies stablehlo.add across dimensions = [1]
// CHECK: stablehlo.dot_general %[[SUM]], %{{.*}} : (tensor<2xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf16>
func.func @alone(%a: tensor<2x3xf16>, %b: tensor<4xf16>) -> tensor<2x4xf16> {
  %0 = stablehlo.einsum %a, %b, config = "ij,k->ik"
    : (tensor<2x3xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// Dots stand for dimensions without a letter; one of size 1 goes with any size.
// CHECK-LABEL: @dots
// CHECK: %[[B:.*]] = stablehlo.reshape %arg1 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
// CHECK: stablehlo.dot_general %arg0, %[[B]], contracting_dims = [2] x [0]
func.func @dots(%a: tensor<5x2x3xf32>, %b: tensor<1x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = stablehlo.einsum %a, %b, config = "...ij,...jk->...ik"
    : (tensor<5x2x3xf32>, tensor<1x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// Without an arrow the result has what occurs once, in alphabetical order.
// CHECK-LABEL: @implied
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : {{.*}} -> tensor<2x4xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0]
func.func @implied(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.einsum %a, %b, config = "zj,jA" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
