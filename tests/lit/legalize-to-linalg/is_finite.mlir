// The magnitude differs from infinity, and is ordered with it: NaN is not finite.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: i1):
// CHECK: %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK: %[[ABS:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT: arith.cmpf one, %[[ABS]], %[[INF]] : f32
func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
