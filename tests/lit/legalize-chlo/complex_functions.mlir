// Complex functions work on both parts in f64.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @conj
// CHECK-NEXT: %[[RE:.*]] = stablehlo.real %arg0
// CHECK-NEXT: %[[IM:.*]] = stablehlo.imag %arg0
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[IM]]
// CHECK-NEXT: stablehlo.complex %[[RE]], %[[NEG]] : tensor<4xcomplex<f32>>
func.func @conj(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = chlo.conj %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: @functions
// CHECK: stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK-COUNT-9: stablehlo.complex %{{.*}} : tensor<4xcomplex<f32>>
// CHECK: stablehlo.tan %arg0 : tensor<4xcomplex<f32>>
// CHECK-NOT: chlo.
// CHECK: return
func.func @functions(%z: tensor<4xcomplex<f32>>) {
  %0 = chlo.acos %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %1 = chlo.acosh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %2 = chlo.asin %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %3 = chlo.asinh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %4 = chlo.atan %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %5 = chlo.atanh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %6 = chlo.cosh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %7 = chlo.sinh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %8 = chlo.square %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %9 = chlo.tan %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: @in_f64
// CHECK-NOT: stablehlo.convert
// CHECK: stablehlo.complex %{{.*}} : tensor<4xcomplex<f64>>
func.func @in_f64(%z: tensor<4xcomplex<f64>>) {
  %0 = "chlo._asin_acos_kernel"(%z) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  return
}
