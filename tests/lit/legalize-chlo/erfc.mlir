// erfc is expanded, and is the complementary error function, accurate where it is tiny: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-0.5,0.30000001192092896,5.0]" --expected-output="3xf32=[1.5204998254776,0.6713732481002808,1.5374598295869735e-12]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.erfc %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
