// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// A convolution packs its kernel, and then lines of the image where their windows are multiplied; what
// is made of its rows is part of its stage.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_contraction_rest_rows_f32_f32
// CHECK-SAME: shlo.rows = array<i64: 36, 32>, shlo.stage = "contraction"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.call @shlo_rt_lines_windows_f32_f32
// CHECK: llvm.intr.maximum
func.func public @joined(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x32xf32>) -> tensor<1x6x6x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x6x6x32xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x4xf32>, tensor<3x3x4x32xf32>) -> tensor<1x6x6x32xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<1x6x6x32xf32>
  return %1 : tensor<1x6x6x32xf32>
}

// -----

// Few windows become a matrix, which is multiplied by the kernel as it lies; what is made of columns
// is part of the stage.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_window_matrix_f32_f32
// CHECK-SAME: shlo.rows = array<i64: 20, 512>, shlo.stage = "contraction"
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.call @shlo_rt_gemm_panels_f32
// CHECK: llvm.intr.maximum
func.func public @few_windows(%x: tensor<1x4x5x64xf32>, %w: tensor<3x3x64x512xf32>) -> tensor<1x4x5x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x4x5x512xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x5x64xf32>, tensor<3x3x64x512xf32>) -> tensor<1x4x5x512xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<1x4x5x512xf32>
  return %1 : tensor<1x4x5x512xf32>
}

// -----

// Images channel by channel: lanes are windows, and lines of the image are packed as planes.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_contraction_rest_columns_f32_f32
// CHECK-SAME: shlo_rt_planes_f32_f32
func.func public @channels_first(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  return %0 : tensor<1x8x6x6xf32>
}

// -----

// Where windows lie apart, they are packed, and not lines.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_contraction_rest_rows_f32_f32
// CHECK-SAME: shlo_rt_contraction_run_rows_f32_f32
func.func public @apart(%x: tensor<1x48x48x3xf32>, %w: tensor<2x2x3x8xf32>) -> tensor<1x16x16x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [3, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x48x48x3xf32>, tensor<2x2x3x8xf32>) -> tensor<1x16x16x8xf32>
  return %0 : tensor<1x16x16x8xf32>
}

// -----

// Sums over windows, as in gradients of kernels, are sums of parts.
// CHECK-LABEL: func.func private @stage.0
// CHECK-NOT: shlo_rt_contraction_rest
// CHECK-SAME: shlo_rt_lines_taps_f32_f32
// CHECK-SAME: shlo_rt_gemm_add_f32
func.func public @gradient(%x: tensor<8x16x16x3xf32>, %y: tensor<8x16x16x8xf32>) -> tensor<3x3x3x8xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x3xf32>, tensor<8x16x16x8xf32>) -> tensor<3x3x3x8xf32>
  return %0 : tensor<3x3x3x8xf32>
}

// -----

// Windows of one element are rows of a matrix.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_gemm_rows_f32
func.func public @one_element(%x: tensor<1x6x6x4xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x6x6x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x4xf32>, tensor<1x1x4x8xf32>) -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}

// -----

// Channels with their own windows are lanes.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_channel_windows_f32_f32
func.func public @depthwise(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x1x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x6x6x4xf32>, tensor<3x3x1x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// Narrow elements become wider ones while they are packed; their sums are rounded once.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_contraction_rest_rows_bf16_f32
func.func public @narrow(%x: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// -----

// Columns of a product that are told apart, and are columns again where a matrix of them is read,
// are read as a run.
// CHECK-LABEL: func.func private @stage.0
// CHECK: llvm.func internal @stage.0(
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.fmul
// CHECK: llvm.return
func.func public @told_apart(%x: tensor<9x8xf32>, %y: tensor<8x48x65xf32>, %z: tensor<48x65xf32>) -> tensor<9x48x65xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<9x8xf32>, tensor<8x48x65xf32>) -> tensor<9x48x65xf32>
  %1 = stablehlo.broadcast_in_dim %z, dims = [1, 2] : (tensor<48x65xf32>) -> tensor<9x48x65xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<9x48x65xf32>
  return %2 : tensor<9x48x65xf32>
}
