// zeta is expanded, and is the Hurwitz zeta function: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[2.0,3.0,4.5]" --input="3xf32=[1.0,0.5,7.0]" --expected-output="3xf32=[1.644934058189392,8.414398193359375,0.0004018826875835657]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.zeta %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
