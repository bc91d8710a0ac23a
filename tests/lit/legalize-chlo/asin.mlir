// asin is expanded, and is the arc sine: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-0.8999999761581421,0.0010000000474974513,0.75]" --expected-output="3xf32=[-1.1197694540023804,0.0010000001639127731,0.8480620980262756]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.asin %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
