// Convolutions are loops over the result, the window and the input's features.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// The innermost loop is over the result's last dimension.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d2 * 3, d3)>
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: @strided
// CHECK: linalg.generic {indexing_maps = [#[[READ]], #[[TAP]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel"]}
// CHECK-SAME: ins(%arg0, %arg1 : tensor<1x9x4xf32>, tensor<3x4x8xf32>)
func.func @strided(%x: tensor<1x9x4xf32>, %k: tensor<3x4x8xf32>) -> tensor<1x2x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2], rhs_dilate = [3]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<1x9x4xf32>, tensor<3x4x8xf32>) -> tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// -----

// Zeros of padding and of dilation stand among the elements; 16 bits are summed in 32.
// CHECK-LABEL: @dilated
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 1, 0] [1, 4, 4] [1, 2, 1] : tensor<1x4x4xf16> into tensor<1x9x4xf16>
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @dilated(%x: tensor<1x4x4xf16>, %k: tensor<3x4x2xf16>) -> tensor<1x7x2xf16> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[1, 1]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<1x4x4xf16>, tensor<3x4x2xf16>) -> tensor<1x7x2xf16>
  return %0 : tensor<1x7x2xf16>
}

// -----

// Groups are a dimension of their own.
// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3, d2, d4)>
// CHECK-LABEL: @grouped
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<1x9x64xf32> into tensor<1x9x32x2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1x7x32x3xf32> into tensor<1x7x96xf32>
func.func @grouped(%x: tensor<1x9x64xf32>, %k: tensor<3x2x96xf32>) -> tensor<1x7x96xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {} {feature_group_count = 32 : i64, batch_group_count = 1 : i64}
    : (tensor<1x9x64xf32>, tensor<3x2x96xf32>) -> tensor<1x7x96xf32>
  return %0 : tensor<1x7x96xf32>
}
