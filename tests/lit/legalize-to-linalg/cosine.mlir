// The cosine of the math dialect, for complex numbers a formula on parts in f64.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.cos %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.cosine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.sin %[[A]] : f64
// CHECK: math.cos %[[A]] : f64
// CHECK: math.expm1 %{{.*}} : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.cosine %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// Rounded to bf16 once.
// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[X:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WX:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NEXT: %[[R:.*]] = math.cos %[[WX]] : f32
// CHECK-NEXT: arith.truncf %[[R]] : f32 to bf16
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.cosine %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
