// Constants, as large as one element where they are alike.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @constants
// CHECK-NEXT: stablehlo.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT: stablehlo.constant dense<3.200000e+00> : tensor<1000x1000xf32>
// CHECK-NEXT: stablehlo.constant dense<-7> : tensor<1000x1000xi8>
// CHECK-NEXT: stablehlo.constant dense<(1.500000e+00,-2.000000e+00)> : tensor<1000x1000xcomplex<f32>>
// CHECK-NEXT: stablehlo.constant dense<0x7FC00001> : tensor<2xf32>
func.func @constants(%x: tensor<1000x1000xf32>) {
  %0 = chlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %1 = "chlo.constant_like"(%x) {value = 3.2 : f32} : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %2 = "chlo.constant_like"(%x) {value = -7 : i8} : (tensor<1000x1000xf32>) -> tensor<1000x1000xi8>
  %3 = "chlo.constant_like"(%x) {value = #complex.number<:f32 1.5, -2.0> : complex<f32>} : (tensor<1000x1000xf32>) -> tensor<1000x1000xcomplex<f32>>
  %4 = chlo.constant dense<0x7FC00001> : tensor<2xf32>
  return
}
