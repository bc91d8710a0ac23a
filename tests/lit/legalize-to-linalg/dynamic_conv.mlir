// The part of the padded input that windows see is made first.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}}tensor<1x4x1xf32> has not the sizes [1, max(0, arg2[0] + arg2[1] + 2), 1]
// CHECK: %[[ZEROS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x1xf32>)
// CHECK: %[[KEPT:.*]] = tensor.extract_slice %arg0
// CHECK: %[[SEEN:.*]] = tensor.insert_slice %[[KEPT]] into %[[ZEROS]]
// CHECK: linalg.generic {{.*}} ins(%[[SEEN]], %arg1
// CHECK: arith.mulf
func.func @unknown(%x: tensor<1x4x1xf32>, %k: tensor<3x1x1xf32>, %padding: tensor<1x2xi64>) -> tensor<1x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK-LABEL: @known
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 2, 0] [1, 4, 1]
func.func @known(%x: tensor<1x4x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x4x1xf32> {
  %padding = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}
