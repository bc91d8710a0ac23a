// m / (m + 2) with m = exp(2 |x|) - 1, the quotient in f64; for f64 the function of the math dialect.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[SIZE:.*]] = arith.minimumf %{{.*}} : f32
// CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[SIZE]], %[[SIZE]] : f32
// CHECK-NEXT: %[[POWER:.*]] = math.expm1 %[[TWICE]] : f32
// CHECK-NEXT: %[[M:.*]] = arith.extf %[[POWER]] : f32 to f64
// CHECK: %[[MORE:.*]] = arith.addf %[[M]], %{{.*}} : f64
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[M]], %[[MORE]] : f64
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[Q]] : f64 to f32
// CHECK-NEXT: math.copysign %[[R]], %[[X]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @double
// CHECK: ^bb0(%[[X:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[R:.*]] = math.tanh %[[X]] : f64
// CHECK-NEXT: linalg.yield %[[R]] : f64
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.tanh %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.expm1 %{{.*}} : f64
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.cos %[[B]] : f64
// CHECK: math.sin %[[B]] : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.tanh %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// Rounded to bf16 once.
// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[X:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WX:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.tanh %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
