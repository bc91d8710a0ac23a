// acos is expanded, and is the arc cosine: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-0.8999999761581421,0.10000000149011612,0.75]" --expected-output="3xf32=[2.690565824508667,1.4706288576126099,0.722734272480011]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.acos %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
