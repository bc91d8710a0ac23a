// cosh is expanded, and is the hyperbolic cosine: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-1.0,0.0,3.0]" --expected-output="3xf32=[1.5430806875228882,1.0,10.067662239074707]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.cosh %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
