// Where sizes are known only at run time, scales are broadcast to them.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
!axis = !quant.uniform<i8:f32:1, {0.5, 0.25}>

// CHECK-LABEL: @per_tensor
// CHECK: %[[ROWS:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[ROWS]] : (tensor<i32>) -> tensor<1xi32>
// CHECK: %[[COLUMN:.*]] = stablehlo.constant dense<2> : tensor<1xi32>
// CHECK: %[[SHAPE:.*]] = stablehlo.concatenate %[[ROW]], %[[COLUMN]], dim = 0
// CHECK: %[[SCALE:.*]] = stablehlo.dynamic_broadcast_in_dim %{{.*}}, %[[SHAPE]], dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
// CHECK: stablehlo.divide %arg0, %[[SCALE]] : tensor<?x2xf32>
func.func @per_tensor(%x: tensor<?x2xf32>) -> tensor<?x2x!q> {
  %0 = stablehlo.uniform_quantize %x : (tensor<?x2xf32>) -> tensor<?x2x!q>
  return %0 : tensor<?x2x!q>
}

// CHECK-LABEL: @along_an_axis
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [1] : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
func.func @along_an_axis(%x: tensor<?x2x!axis>) -> tensor<?x2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<?x2x!axis>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// A result whose type knows more than the operand's has that type.
// CHECK-LABEL: @declared
// CHECK: %[[NUMBERS:.*]] = stablehlo.multiply %{{.*}} : tensor<3x2xf32>
// CHECK: return %[[NUMBERS]] : tensor<3x2xf32>
func.func @declared(%x: tensor<?x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<?x2xf32>) -> tensor<3x2x!q>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<3x2x!q>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
