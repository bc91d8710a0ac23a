// Of quantized tensors elements are placed as integers, sums are those of what integers stand for.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>

// CHECK-LABEL: @torch_index_select
// CHECK: %[[X:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<5x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<5x3xi8>
// CHECK-NEXT: %[[G:.*]] = "stablehlo.gather"(%[[X]], %arg1)
// CHECK: stablehlo.bitcast_convert %[[G]] : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @torch_index_select(%x: tensor<5x3x!q>, %i: tensor<2xi32>) -> tensor<2x3x!q> {
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x3x!q>, tensor<2xi32>) -> tensor<2x3x!q>
  return %0 : tensor<2x3x!q>
}

// CHECK-LABEL: @einsum
// CHECK: %[[A:.*]] = stablehlo.uniform_dequantize %arg0
// CHECK: %[[B:.*]] = stablehlo.uniform_dequantize %arg1
// CHECK: %[[S:.*]] = stablehlo.dot_general %[[A]], %[[B]]
// CHECK: stablehlo.uniform_quantize %[[S]] : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @einsum(%a: tensor<2x3x!q>, %b: tensor<3x4x!q>) -> tensor<2x4x!q> {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<2x3x!q>, tensor<3x4x!q>) -> tensor<2x4x!q>
  return %0 : tensor<2x4x!q>
}

// CHECK-LABEL: @cross_replica_sum
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @cross_replica_sum(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}
