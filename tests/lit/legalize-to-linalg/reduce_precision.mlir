// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Fewer mantissa bits round; as many exponent bits need no check of the range. NaN is kept.

// CHECK-LABEL: @main
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X:.*]] : f32 to i32
// CHECK: arith.constant 65535 : i32
// CHECK: arith.addi %[[BITS]]
// CHECK: arith.constant -131072 : i32
// CHECK-NOT: ugt
// CHECK: %[[ROUNDED:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK-NEXT: arith.select %[[NAN]], %[[X]], %[[ROUNDED]] : f32
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %x, format = e8m6 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
