// Kernels for unknown sizes that do the same with their arguments are one function.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --shlo-choose-kernels | FileCheck %s

// The sizes are told by the arguments, or are passed: whose they are makes no difference.
// CHECK-LABEL: @products
// CHECK-COUNT-2: call @[[GEMM:shlo.gemm.[0-9]+]](
// CHECK: call @[[WIDE:shlo.gemm.[0-9]+]](
func.func @products(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x32xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
  return %0, %1, %2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>
}

// CHECK-LABEL: @convolutions
// CHECK-COUNT-2: call @[[PATCHES:shlo.patches.[0-9]+]](
func.func @convolutions(%a: tensor<?x9x9x16xf32>, %b: tensor<?x9x9x16xf32>, %w: tensor<3x3x16x32xf32>)
    -> (tensor<?x7x7x32xf32>, tensor<?x7x7x32xf32>) {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x9x9x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x7x7x32xf32>
  %1 = stablehlo.convolution(%b, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x9x9x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x7x7x32xf32>
  return %0, %1 : tensor<?x7x7x32xf32>, tensor<?x7x7x32xf32>
}

// CHECK-COUNT-1: func.func private @[[GEMM]](
// CHECK-COUNT-1: func.func private @[[WIDE]](
// CHECK-COUNT-1: func.func private @[[PATCHES]](
// CHECK-NOT: func.func private @shlo.patches
