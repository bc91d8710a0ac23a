// sinh is expanded, and is the hyperbolic sine, accurate near 0: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-1.0,9.999999747378752e-05,3.0]" --expected-output="3xf32=[-1.175201177597046,9.999999747378752e-05,10.017874717712402]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.sinh %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
