// lgamma is expanded, and is the logarithm of the gamma function: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[0.30000001192092896,4.0,30.5]" --expected-output="3xf32=[1.0957978963851929,1.7917594909667969,72.9534683227539]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
