// atan is expanded, and is the arc tangent: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-3.0,0.5,1000000.0]" --expected-output="3xf32=[-1.249045729637146,0.46364760398864746,1.5707952976226807]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.atan %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
