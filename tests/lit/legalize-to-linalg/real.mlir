// A real number is its real part.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: f32):
// CHECK-NEXT: complex.re %[[X]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[X]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.real %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
