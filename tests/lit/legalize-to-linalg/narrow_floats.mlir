// Floats of 8 bits and less are stored as the bytes of their codes, which only conversions read.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// Fields are moved to their places in f32, and the exponent gets the difference of the biases,
// 127 - 15, or one more and a subtraction for subnormals.
// CHECK-LABEL: @decoded
// CHECK-SAME: (%arg0: tensor<4xi8>) -> tensor<4xf32>
// CHECK: %[[CODE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[MASK:.*]] = arith.constant 127 : i32
// CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[CODE]], %[[MASK]]
// CHECK: %[[PLACES:.*]] = arith.constant 21 : i32
// CHECK: %[[FIELD:.*]] = arith.shli %[[MAGNITUDE]], %[[PLACES]]
// CHECK: arith.constant 939524096 : i32
// CHECK: arith.subf %{{.*}}, %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: linalg.yield
func.func @decoded(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xf8E5M2>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// f64 is rounded to odd on the way, or it would be rounded twice.
// CHECK-LABEL: @encoded
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK-NEXT: linalg.yield
func.func @encoded(%x: tensor<4xf64>) -> tensor<4xf4E2M1FN> {
  %0 = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xf4E2M1FN>
  return %0 : tensor<4xf4E2M1FN>
}

// -----

// 1.0 is code 0x3C of f8E5M2 and 0x7F of f8E8M0FNU; NaN keeps its payload.
// CHECK-LABEL: @constants
// CHECK-SAME: -> (tensor<2xi8>, tensor<i8>, tensor<9xi8>)
// CHECK: arith.constant dense<[60, 125]> : tensor<2xi8>
// CHECK: arith.constant dense<127> : tensor<i8>
// CHECK: arith.constant -1 : i8
func.func @constants() -> (tensor<2xf8E5M2>, tensor<f8E8M0FNU>, tensor<9xf8E4M3FN>) {
  %0 = stablehlo.constant dense<[1.0, 0x7D]> : tensor<2xf8E5M2>
  %1 = stablehlo.constant dense<1.0> : tensor<f8E8M0FNU>
  %2 = stablehlo.constant dense<0xFF> : tensor<9xf8E4M3FN>
  return %0, %1, %2 : tensor<2xf8E5M2>, tensor<f8E8M0FNU>, tensor<9xf8E4M3FN>
}
