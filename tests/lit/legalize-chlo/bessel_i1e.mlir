// bessel_i1e is expanded, and is the scaled modified Bessel function of order 1: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-2.0,0.5,30.0]" --expected-output="3xf32=[-0.2152692824602127,0.15642079710960388,0.07191632688045502]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
