// Ops that place elements place integers; constants are integers already.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!u = !quant.uniform<u8:f32, 0.5:3>
!nibble = !quant.uniform<u4:f32, 0.5>
!rows = !quant.uniform<i8:f32:0, {0.5:3, 2.0}>
!columns = !quant.uniform<i8:f32:1, {0.5:3, 2.0}>

// CHECK-LABEL: @moves
// CHECK: stablehlo.reverse %arg0, dims = [0] : tensor<2xi8>
// CHECK: stablehlo.pad %{{.*}}, %arg1, low = [1], high = [0], interior = [0] : (tensor<2xi8>, tensor<i8>) -> tensor<3xi8>
// CHECK: stablehlo.concatenate {{.*}} -> tensor<6xi8>
// CHECK-NEXT: return
func.func @moves(%x: tensor<2x!q>, %v: tensor<!q>) -> tensor<6x!q> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<2x!q>
  %1 = stablehlo.pad %0, %v, low = [1], high = [0], interior = [0] : (tensor<2x!q>, tensor<!q>) -> tensor<3x!q>
  %2 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<3x!q>, tensor<3x!q>) -> tensor<6x!q>
  return %2 : tensor<6x!q>
}

// The result's type says which axis the scales belong to.
// CHECK-LABEL: @transposed
// CHECK: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
func.func @transposed(%x: tensor<2x3x!rows>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!rows>) -> tensor<3x2x!columns>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<3x2x!columns>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @constants
// CHECK: stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
// CHECK: stablehlo.constant dense<[200, 127]> : tensor<2xui8>
// CHECK: stablehlo.constant dense<[8, 7]> : tensor<2xui4>
func.func @constants() -> (tensor<2x!q>, tensor<2x!u>, tensor<2x!nibble>) {
  %0 = "stablehlo.constant"() {value = dense<[-128, 127]> : tensor<2xi8>} : () -> tensor<2x!q>
  %1 = "stablehlo.constant"() {value = dense<[-56, 127]> : tensor<2xi8>} : () -> tensor<2x!u>
  %2 = "stablehlo.constant"() {value = dense<[-8, 7]> : tensor<2xi4>} : () -> tensor<2x!nibble>
  return %0, %1, %2 : tensor<2x!q>, tensor<2x!u>, tensor<2x!nibble>
}

// CHECK-LABEL: @bits
// CHECK-NEXT: %[[UNSIGNED:.*]] = stablehlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xui8>
// CHECK-NEXT: %[[WIDE:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<4xi8>) -> tensor<i32>
// CHECK-NEXT: return %arg0, %[[UNSIGNED]], %[[WIDE]]
func.func @bits(%x: tensor<4x!q>) -> (tensor<4xi8>, tensor<4x!u>, tensor<i32>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<4x!q>) -> tensor<4xi8>
  %1 = stablehlo.bitcast_convert %x : (tensor<4x!q>) -> tensor<4x!u>
  %2 = stablehlo.bitcast_convert %x : (tensor<4x!q>) -> tensor<i32>
  return %0, %1, %2 : tensor<4xi8>, tensor<4x!u>, tensor<i32>
}
