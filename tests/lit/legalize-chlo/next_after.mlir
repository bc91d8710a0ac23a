// next_after is expanded, and is the neighbour toward the second operand: values by numpy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[1.0,1.0,0.0]" --input="3xf32=[2.0,0.0,1.0]" --expected-output="3xf32=[1.0000001192092896,0.9999999403953552,1.401298464324817e-45]" --rtol=0 --atol=0

// RUN: %shlo-run %s --function=narrow --input="3xf6E2M3FN=[1.0,1.0,0.0]" --input="3xf6E2M3FN=[2.0,0.0,-1.0]" --expected-output="3xf6E2M3FN=[1.125,0.875,-0.125]" --rtol=0 --atol=0
// RUN: %shlo-run %s --function=powers --input="3xf8E8M0FNU=[1.0,1.0,4.0]" --input="3xf8E8M0FNU=[8.0,0.125,4.0]" --expected-output="3xf8E8M0FNU=[2.0,0.5,4.0]" --rtol=0 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.next_after %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// No integer has six bits: the spacing of numbers is added or subtracted.
// CHECK-LABEL: @narrow
// CHECK-NOT: chlo.
// CHECK: stablehlo.convert {{.*}} -> tensor<3xf6E2M3FN>
func.func @narrow(%x: tensor<3xf6E2M3FN>, %y: tensor<3xf6E2M3FN>) -> tensor<3xf6E2M3FN> {
  %0 = chlo.next_after %x, %y : tensor<3xf6E2M3FN>, tensor<3xf6E2M3FN> -> tensor<3xf6E2M3FN>
  return %0 : tensor<3xf6E2M3FN>
}

// Powers of two are counted by their exponents, which is all they have.
// CHECK-LABEL: @powers
// CHECK-NOT: chlo.
// CHECK: stablehlo.bitcast_convert {{.*}} -> tensor<3xf8E8M0FNU>
func.func @powers(%x: tensor<3xf8E8M0FNU>, %y: tensor<3xf8E8M0FNU>) -> tensor<3xf8E8M0FNU> {
  %0 = chlo.next_after %x, %y : tensor<3xf8E8M0FNU>, tensor<3xf8E8M0FNU> -> tensor<3xf8E8M0FNU>
  return %0 : tensor<3xf8E8M0FNU>
}
