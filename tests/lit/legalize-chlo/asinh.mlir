// asinh is expanded, and is the inverse hyperbolic sine, accurate near 0: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-3.0,9.999999747378752e-05,2.0]" --expected-output="3xf32=[-1.8184465169906616,9.999999747378752e-05,1.4436354637145996]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.asinh %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
