// Out of range, the nearest bound; NaN is 0, or true. No value is rounded twice.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @saturates
// CHECK: arith.cmpf oge, %{{.*}}, %{{.*}} : f32
// CHECK: arith.cmpf uno,
// CHECK: %[[SAFE:.*]] = arith.select
// CHECK-NEXT: arith.fptosi %[[SAFE]] : f32 to i8
// CHECK: %[[MOST:.*]] = arith.constant 127 : i8
// CHECK-NEXT: arith.select %{{.*}}, %[[MOST]],
// CHECK: %[[LEAST:.*]] = arith.constant -128 : i8
// CHECK-NEXT: arith.select %{{.*}}, %[[LEAST]],
func.func @saturates(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @truth
// CHECK-NOT: fptoui
// CHECK: arith.cmpf une,
func.func @truth(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @unsigned
// CHECK: arith.extui %{{.*}} : i8 to i32
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xi32> {
  %0 = stablehlo.convert %x : (tensor<4xui8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @twice
// CHECK-NOT: f64 to bf16
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: arith.truncf %[[ODD]] : f32 to bf16
func.func @twice(%x: tensor<4xf64>) -> tensor<4xbf16> {
  %0 = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
