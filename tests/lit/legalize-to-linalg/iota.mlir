// Each element is its position along the dimension, converted once to the element type.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: %[[AT:.*]] = linalg.index 1 : index
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: %[[VALUE:.*]] = arith.sitofp %[[NUMBER]] : i64 to f32
// CHECK: linalg.yield %[[VALUE]] : f32
func.func @main() -> tensor<2x3xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The imaginary part is zero.
// CHECK-LABEL: @complex
// CHECK: linalg.index 0
// CHECK: %[[RE:.*]] = arith.sitofp %{{.*}} : i64 to f32
// CHECK: %[[IM:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: complex.create %[[RE]], %[[IM]] : complex<f32>
func.func @complex() -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.iota dim = 0 : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
