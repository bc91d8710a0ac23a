// square is expanded, and is the square: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-3.0,0.5,7.0]" --expected-output="3xf32=[9.0,0.25,49.0]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
