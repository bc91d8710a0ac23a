// The least integer wraps around; a modulus is infinite if a part is, even beside NaN.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @integer
// CHECK: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : i8
// CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[X]] : i8
// CHECK-NEXT: arith.select %[[LESS]], %[[MINUS]], %[[X]] : i8
func.func @integer(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.abs %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: f32):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: arith.extf %[[RE]] : f32 to f64
// CHECK-COUNT-2: arith.cmpf oeq, %{{.*}} : f64
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : f64
// CHECK: %[[INF:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK-NEXT: %[[ABS:.*]] = arith.select %[[ANY]], %[[INF]], %[[ROOT]] : f64
// CHECK-NEXT: arith.truncf %[[ABS]] : f64 to f32
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
