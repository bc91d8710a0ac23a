// The lower bound first, so the upper one wins; a scalar bound is read at every element.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[LO:.*]]: i8, %[[X:.*]]: i8, %[[HI:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[R:.*]] = arith.maxui %[[X]], %[[LO]] : i8
// CHECK-NEXT: arith.minui %[[R]], %[[HI]] : i8
func.func @unsigned(%lo: tensor<ui8>, %x: tensor<4xui8>, %hi: tensor<ui8>) -> tensor<4xui8> {
  %0 = stablehlo.clamp %lo, %x, %hi : (tensor<ui8>, tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// NaN wins over the bounds.
// CHECK-LABEL: @real
// CHECK: ^bb0(%[[LO:.*]]: f32, %[[X:.*]]: f32, %[[HI:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[X]], %[[LO]] : f32
// CHECK-NEXT: arith.minimumf %[[R]], %[[HI]] : f32
func.func @real(%lo: tensor<4xf32>, %x: tensor<4xf32>, %hi: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.clamp %lo, %x, %hi : tensor<4xf32>
  return %0 : tensor<4xf32>
}
