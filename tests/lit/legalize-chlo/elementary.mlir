// Constants, as large as one element where they are alike, and what the bits of a number tell:
// infinities, upper halves of products, neighbours.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @constants
// CHECK-NEXT: stablehlo.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT: stablehlo.constant dense<3.200000e+00> : tensor<1000x1000xf32>
// CHECK-NEXT: stablehlo.constant dense<-7> : tensor<1000x1000xi8>
// CHECK-NEXT: stablehlo.constant dense<(1.500000e+00,-2.000000e+00)> : tensor<1000x1000xcomplex<f32>>
// CHECK-NEXT: stablehlo.constant dense<0x7FC00001> : tensor<2xf32>
func.func @constants(%x: tensor<1000x1000xf32>) {
  %0 = chlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %1 = "chlo.constant_like"(%x) {value = 3.2 : f32} : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %2 = "chlo.constant_like"(%x) {value = -7 : i8} : (tensor<1000x1000xf32>) -> tensor<1000x1000xi8>
  %3 = "chlo.constant_like"(%x) {value = #complex.number<:f32 1.5, -2.0> : complex<f32>} : (tensor<1000x1000xf32>) -> tensor<1000x1000xcomplex<f32>>
  %4 = chlo.constant dense<0x7FC00001> : tensor<2xf32>
  return
}

// CHECK-LABEL: @infinities
// CHECK: %[[ABS:.*]] = stablehlo.abs %arg0
// CHECK-NEXT: %[[INF:.*]] = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
// CHECK-NEXT: stablehlo.compare EQ, %[[ABS]], %[[INF]]
// CHECK-NEXT: %[[INF:.*]] = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
// CHECK-NEXT: stablehlo.compare EQ, %arg0, %[[INF]]
// CHECK-NEXT: %[[INF:.*]] = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
// CHECK-NEXT: stablehlo.compare EQ, %arg0, %[[INF]]
func.func @infinities(%x: tensor<4xf32>) {
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  return
}

// A format without infinities has none.
// CHECK-LABEL: @finite
// CHECK: stablehlo.constant dense<false> : tensor<4xi1>
// CHECK-NOT: stablehlo.compare
// CHECK: return
func.func @finite(%x: tensor<4xf8E4M3FN>) {
  %0 = chlo.is_inf %x : tensor<4xf8E4M3FN> -> tensor<4xi1>
  return
}

// CHECK-LABEL: @mulhi
// CHECK: stablehlo.convert %arg0 : (tensor<4xi32>) -> tensor<4xi64>
// CHECK: stablehlo.multiply %{{.*}} : tensor<4xi64>
// CHECK: stablehlo.shift_right_logical
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xi32>
// CHECK: stablehlo.convert %arg1 : (tensor<4xui8>) -> tensor<4xui16>
func.func @mulhi(%x: tensor<4xi32>, %u: tensor<4xui8>) {
  %0 = chlo.mulhi %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %1 = chlo.mulhi %u, %u : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  return
}

// No type is wider than 64 bits: halves are multiplied.
// CHECK-LABEL: @mulhi_64
// CHECK-COUNT-4: stablehlo.multiply %{{.*}} : tensor<4xui64>
// CHECK-NOT: stablehlo.multiply
// CHECK: return
func.func @mulhi_64(%x: tensor<4xi64>) {
  %0 = chlo.mulhi %x, %x : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return
}

// CHECK-LABEL: @next_after
// CHECK: stablehlo.bitcast_convert %arg0 : (tensor<4xbf16>) -> tensor<4xui16>
// CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<4xui16>) -> tensor<4xbf16>
func.func @next_after(%x: tensor<4xbf16>, %y: tensor<4xbf16>) {
  %0 = chlo.next_after %x, %y : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: @tan
// CHECK-NEXT: stablehlo.tan %arg0 : tensor<4xf32>
// CHECK-NEXT: %[[WIDE:.*]] = stablehlo.convert %arg1 : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
// CHECK-NEXT: %[[TAN:.*]] = stablehlo.tan %[[WIDE]] : tensor<4xf32>
// CHECK-NEXT: stablehlo.convert %[[TAN]] : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
func.func @tan(%x: tensor<4xf32>, %narrow: tensor<4xf8E4M3FN>) {
  %0 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.tan %narrow : tensor<4xf8E4M3FN> -> tensor<4xf8E4M3FN>
  return
}
