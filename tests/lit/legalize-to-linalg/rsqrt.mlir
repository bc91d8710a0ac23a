// A division by the root, not an estimate; bf16 is rounded at the end only.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NOT: math.rsqrt
// CHECK: %[[ROOT:.*]] = math.sqrt %[[X]] : f32
// CHECK-NEXT: arith.divf %{{.*}}, %[[ROOT]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.rsqrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @narrow
// CHECK: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: math.sqrt {{.*}} : f32
// CHECK-NEXT: arith.divf {{.*}} : f32
// CHECK-NEXT: arith.truncf
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.rsqrt %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: arith.divf %[[B]], %{{.*}} : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.rsqrt %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
