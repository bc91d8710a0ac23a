// polygamma is expanded, and is derivatives of the digamma function: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[1.0,2.0,3.0]" --input="3xf32=[0.5,2.0,7.5]" --expected-output="3xf32=[4.934802055358887,-0.4041137993335724,0.005772436503320932]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.polygamma %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
