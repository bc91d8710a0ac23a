// A float changes its sign bit: 0 - x would lose -0. Unsigned integers wrap around.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.negf %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT: arith.subi %[[ZERO]], %[[X]] : i8
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.negate %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[R:.*]] = complex.neg %[[X]] : complex<f32>
// CHECK-NEXT: linalg.yield %[[R]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.negate %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
