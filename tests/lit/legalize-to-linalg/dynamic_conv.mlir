// Padding that is an operand is one of the kernel's; padding that is known is an attribute.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}}tensor<1x4x1xf32> has not the sizes [1, max(0, arg2[0] + arg2[1] + 2), 1]
// CHECK: call @[[DYNAMIC:shlo.dynamic_conv.[0-9]+]](%{{.*}}, %arg0, %arg1, %arg2)
func.func @unknown(%x: tensor<1x4x1xf32>, %k: tensor<3x1x1xf32>, %padding: tensor<1x2xi64>) -> tensor<1x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK-LABEL: @known
// CHECK: call @[[STATIC:shlo.convolution.[0-9]+]](%{{.*}}, %arg0, %arg1)
func.func @known(%x: tensor<1x4x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x4x1xf32> {
  %padding = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK: func.func private @[[DYNAMIC]](
// CHECK-SAME: kind = "dynamic_conv"
// CHECK: func.func private @[[STATIC]](
// CHECK-SAME: padding = dense<{{\[\[}}2, 0]]> : tensor<1x2xi64>
