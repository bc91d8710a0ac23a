// atanh is expanded, and is the inverse hyperbolic tangent, accurate near 0: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-0.8999999761581421,9.999999747378752e-05,0.5]" --expected-output="3xf32=[-1.4722193479537964,9.999999747378752e-05,0.5493061542510986]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.atanh %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
