// erf_inv is expanded, and is the inverse error function: values by scipy.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s
// RUN: %shlo-run %s --input="3xf32=[-0.8999999761581421,0.10000000149011612,0.9990000128746033]" --expected-output="3xf32=[-1.1630871295928955,0.08885598927736282,2.326756238937378]" --rtol=1e-6 --atol=0

// CHECK: func.func @main
// CHECK-NOT: chlo.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
