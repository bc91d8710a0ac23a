// Broadcasting forms of quantized tensors stretch the integers; scales along a dimension move with it.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @per_tensor
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i8:f32, 2.500000e-01>>
// CHECK-NEXT: stablehlo.add %arg0, %[[B]] : (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @per_tensor(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
}

// CHECK-LABEL: @per_axis
// CHECK: stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2x!quant.uniform<u8<0:100>:f32:0, {1.000000e-05:7,2.500000e-01}>>) -> tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {1.000000e-05:7,2.500000e-01}>>
func.func @per_axis(%a: tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {0.5, 0.25}>>, %b: tensor<2x!quant.uniform<u8<0:100>:f32:0, {1.0e-5:7, 0.25}>>) -> tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {0.5, 0.25}>> {
  %0 = chlo.broadcast_add %a, %b : (tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {0.5, 0.25}>>, tensor<2x!quant.uniform<u8<0:100>:f32:0, {1.0e-5:7, 0.25}>>) -> tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {0.5, 0.25}>>
  return %0 : tensor<3x2x!quant.uniform<u8<0:100>:f32:1, {0.5, 0.25}>>
}

// CHECK-LABEL: @unknown_sizes
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg0, %{{.*}}, dims = [0, 1]
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg1, %{{.*}}, dims = [1]
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}} -> tensor<?x3xi1>
func.func @unknown_sizes(%a: tensor<?x3x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<?x3xi1> {
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<?x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<?x3xi1>
  return %0 : tensor<?x3xi1>
}
