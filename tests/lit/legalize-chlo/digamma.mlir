// digamma is expanded, and is the logarithmic derivative of the gamma function: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[0.30000001192092896,1.0,7.5]" --expected-output="3xf32=[-3.5025241374969482,-0.5772156715393066,1.946757435798645]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.digamma %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
