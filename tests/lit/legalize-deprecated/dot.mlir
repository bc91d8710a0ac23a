// The last dimension of lhs is contracted with the first one of rhs; precision is kept.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @matrices
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT]
func.func @matrices(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot %a, %b, precision = [HIGH, DEFAULT]
    : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @vectors
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : {{.*}} -> tensor<f32>
func.func @vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.dot %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Sizes need not be known, nor numbers be plain ones.
// CHECK-LABEL: @any
// CHECK: contracting_dims = [1] x [0] : (tensor<?x3x!quant{{.*}}>, {{.*}}) -> tensor<?x!quant
func.func @any(%a: tensor<?x3x!quant.uniform<i8:f32, 0.5>>, %b: tensor<3x!quant.uniform<i8:f32, 0.5>>)
    -> tensor<?x!quant.uniform<i8:f32, 0.5>> {
  %0 = "stablehlo.dot"(%a, %b)
    : (tensor<?x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>)
    -> tensor<?x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<?x!quant.uniform<i8:f32, 0.5>>
}
