// exp(x) - 1 is one function: a difference loses its digits near 0.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.expm1 %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential_minus_one %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @double
// CHECK: ^bb0(%[[X:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[R:.*]] = math.expm1 %[[X]] : f64
// CHECK-NEXT: linalg.yield %[[R]] : f64
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.exponential_minus_one %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.expm1 %[[A]] : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.exponential_minus_one %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
