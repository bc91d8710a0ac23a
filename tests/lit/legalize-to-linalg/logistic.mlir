// exp is taken of -|x|, which cannot overflow; the quotient is f64; bf16 comes last.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[ABS:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[ABS]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[NEG]] : f32
// CHECK-NOT: math.exp
// CHECK: %[[WIDE:.*]] = arith.extf %[[EXP]] : f32 to f64
// CHECK: arith.select %{{.*}}, %[[WIDE]], %{{.*}} : f64
// CHECK: arith.addf %{{.*}}, %[[WIDE]] : f64
// CHECK: %[[Q:.*]] = arith.divf %{{.*}} : f64
// CHECK-NEXT: arith.truncf %[[Q]] : f64 to f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.logistic %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @narrow
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK-NEXT: linalg.yield
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.logistic %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.expm1 %{{.*}} : f64
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.cos %{{.*}} : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.logistic %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
