// Bits are kept; where widths differ, the last dimension counts parts, the low bits first.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @same_width
// CHECK: linalg.generic
// CHECK-NOT: arith.fptosi
// CHECK: arith.bitcast %{{.*}} : f32 to i32
func.func @same_width(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Part 0 is shifted by nothing, part 1 by 16 bits, without copies of the sign.
// CHECK-LABEL: @narrower
// CHECK: %[[PART:.*]] = linalg.index 1
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[PART]] : index to i64
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[WIDTH:.*]] = arith.constant 16 : i64
// CHECK: %[[BEGIN:.*]] = arith.muli %[[NUMBER]], %[[WIDTH]]
// CHECK: %[[DISTANCE:.*]] = arith.trunci %[[BEGIN]] : i64 to i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %[[DISTANCE]]
// CHECK: arith.trunci %[[SHIFTED]] : i32 to i16
func.func @narrower(%x: tensor<4xf32>) -> tensor<4x2xui16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x2xui16>
  return %0 : tensor<4x2xui16>
}

// Parts are joined without their signs, whatever their type.
// CHECK-LABEL: @wider
// CHECK-NOT: arith.extsi
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: arith.shli
// CHECK: %[[JOINED:.*]] = arith.ori
// CHECK: arith.bitcast %[[JOINED]] : i32 to f32
func.func @wider(%x: tensor<4x2xi16>) -> tensor<4xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4x2xi16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
