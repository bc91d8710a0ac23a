// next_after is expanded, and is the neighbour toward the second operand: values by numpy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[1.0,1.0,0.0]" --input="3xf32=[2.0,0.0,1.0]" --expected-output="3xf32=[1.0000001192092896,0.9999999403953552,1.401298464324817e-45]" --rtol=0 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.next_after %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
