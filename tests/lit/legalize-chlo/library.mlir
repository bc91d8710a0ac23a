// RUN: %shlo-opt %s --pass-pipeline="builtin.module(shlo-legalize-chlo{library})" | FileCheck %s

// What kernels call stays: of known sizes, of f32 and 16-bit floats.
// CHECK-LABEL: func.func @called
func.func @called(%x: tensor<4xf32>, %y: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  // CHECK: chlo.erf %arg0 : tensor<4xf32>
  // CHECK: chlo.erfc %arg1 : tensor<4xbf16>
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erfc %y : tensor<4xbf16> -> tensor<4xbf16>
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}

// CHECK-LABEL: func.func @others
// CHECK-NOT: chlo
func.func @others(%x: tensor<4xf64>, %y: tensor<?xf32>, %z: tensor<4xf32>)
    -> (tensor<4xf64>, tensor<?xf32>, tensor<4xf32>) {
  %0 = chlo.erf %x : tensor<4xf64> -> tensor<4xf64>
  %1 = chlo.erf %y : tensor<?xf32> -> tensor<?xf32>
  %2 = chlo.lgamma %z : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf64>, tensor<?xf32>, tensor<4xf32>
}
