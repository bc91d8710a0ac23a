// RUN: %shlo-opt %s --pass-pipeline="builtin.module(shlo-legalize-chlo{library})" | FileCheck %s

// What kernels call stays: of known sizes, of floats of 16 bits and more.
// CHECK-LABEL: func.func @called
func.func @called(%x: tensor<4xf32>, %y: tensor<4xbf16>, %z: tensor<4xf64>)
    -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>) {
  // CHECK: chlo.erf %arg0 : tensor<4xf32>
  // CHECK: chlo.erfc %arg1 : tensor<4xbf16>
  // CHECK: chlo.lgamma %arg2 : tensor<4xf64>
  // CHECK: chlo.zeta %arg0, %arg0 : tensor<4xf32>
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erfc %y : tensor<4xbf16> -> tensor<4xbf16>
  %2 = chlo.lgamma %z : tensor<4xf64> -> tensor<4xf64>
  %3 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf32>
}

// CHECK-LABEL: func.func @others
// CHECK-NOT: chlo
func.func @others(%x: tensor<4xf8E5M2>, %y: tensor<?xf32>, %z: tensor<4xcomplex<f64>>)
    -> (tensor<4xf8E5M2>, tensor<?xf32>, tensor<4xcomplex<f64>>) {
  %0 = chlo.erf %x : tensor<4xf8E5M2> -> tensor<4xf8E5M2>
  %1 = chlo.erf %y : tensor<?xf32> -> tensor<?xf32>
  %2 = chlo.asin %z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  return %0, %1, %2 : tensor<4xf8E5M2>, tensor<?xf32>, tensor<4xcomplex<f64>>
}
