// acosh is expanded, and is the inverse hyperbolic cosine: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[1.0,1.5,40.0]" --expected-output="3xf32=[0.0,0.9624236226081848,4.381870269775391]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.acosh %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
