// The first operand is the real part.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @single
// CHECK: ^bb0(%[[RE:.*]]: f32, %[[IM:.*]]: f32, %{{.*}}: complex<f32>):
// CHECK-NEXT: complex.create %[[RE]], %[[IM]] : complex<f32>
func.func @single(%re: tensor<4xf32>, %im: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.complex %re, %im : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: @double
// CHECK: ^bb0(%[[RE:.*]]: f64, %[[IM:.*]]: f64, %{{.*}}: complex<f64>):
// CHECK-NEXT: complex.create %[[RE]], %[[IM]] : complex<f64>
func.func @double(%re: tensor<4xf64>, %im: tensor<4xf64>) -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.complex %re, %im : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
