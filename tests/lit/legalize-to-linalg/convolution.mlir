// Convolutions are opaque, as dot products are.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<1x4x2xf16>
// CHECK: call @[[CONVOLUTION:shlo.convolution.[0-9]+]](%[[OUT]], %arg0, %arg1)
// CHECK: func.func private @[[CONVOLUTION]](
// CHECK-SAME: shlo.kernel = {kind = "convolution"
// CHECK-SAME: dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64
// CHECK-SAME: padding = dense<1> : tensor<1x2xi64>
// CHECK-SAME: types = (tensor<1x4x4xf16>, tensor<3x2x2xf16>) -> tensor<1x4x2xf16>}
func.func @main(%x: tensor<1x4x4xf16>, %k: tensor<3x2x2xf16>) -> tensor<1x4x2xf16> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {feature_group_count = 2 : i64, batch_group_count = 1 : i64}
    : (tensor<1x4x4xf16>, tensor<3x2x2xf16>) -> tensor<1x4x2xf16>
  return %0 : tensor<1x4x2xf16>
}
