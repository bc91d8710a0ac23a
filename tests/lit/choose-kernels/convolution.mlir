// RUN: %shlo-opt %s --shlo-legalize-to-linalg --shlo-choose-kernels --split-input-file | FileCheck %s

// Patches times kernel; the three features of neighbouring taps are read in one run.

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d2 * 3 + d4)>
// CHECK-LABEL: @patches
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 1, 1, 0] [2, 16, 16, 3]
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK-SAME: outs(%{{.*}} : tensor<2x16x16x3x9xf32>)
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x512x8xf32>, tensor<1x512x27xf32>, tensor<1x27x8xf32>)
func.func @patches(%x: tensor<2x16x16x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<2x16x16x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x16x16x8xf32>
  return %0 : tensor<2x16x16x8xf32>
}

// -----

// With one tap the patches are the input.

// CHECK-LABEL: @one_tap
// CHECK-NOT: linalg.generic
// CHECK: tensor.collapse_shape %arg0
// CHECK-NOT: linalg.generic
// CHECK: call @shlo.gemm.0
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @one_tap(%x: tensor<2x16x16x8xf32>, %w: tensor<1x1x8x8xf32>) -> tensor<2x16x16x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<2x16x16x8xf32>, tensor<1x1x8x8xf32>) -> tensor<2x16x16x8xf32>
  return %0 : tensor<2x16x16x8xf32>
}

// -----

// A dilated input: even windows meet tap 1, odd ones the taps 0 and 2. No zeros are multiplied.

// CHECK-LABEL: @phases
// CHECK: tensor.extract_slice %arg1[1, 0, 0] [1, 128, 128] [2, 1, 1]
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x128x128xf32>, tensor<1x128x128xf32>, tensor<1x128x128xf32>)
// CHECK: tensor.extract_slice %arg1[0, 0, 0] [2, 128, 128] [2, 1, 1]
// CHECK: call @shlo.gemm.1(%{{.*}}) : (tensor<1x127x128xf32>, tensor<1x127x256xf32>, tensor<1x256x128xf32>)
// CHECK: tensor.insert_slice %{{.*}}[0, 0, 0] [1, 128, 128] [1, 2, 1]
// CHECK: tensor.insert_slice %{{.*}}[0, 1, 0] [1, 127, 128] [1, 2, 1]
func.func @phases(%x: tensor<1x128x128xf32>, %w: tensor<3x128x128xf32>) -> tensor<1x255x128xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[1, 1]], lhs_dilate = [2]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<1x128x128xf32>, tensor<3x128x128xf32>) -> tensor<1x255x128xf32>
  return %0 : tensor<1x255x128xf32>
}

// -----

// Many groups of few features: loops, the innermost one over the groups.

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4, 0)>
// CHECK-LABEL: @depthwise
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]
func.func @depthwise(%x: tensor<1x9x64xf32>, %w: tensor<3x1x64xf32>) -> tensor<1x7x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {} {feature_group_count = 64 : i64, batch_group_count = 1 : i64}
    : (tensor<1x9x64xf32>, tensor<3x1x64xf32>) -> tensor<1x7x64xf32>
  return %0 : tensor<1x7x64xf32>
}

// -----

// Of unknown batch and image as many windows at a time as make small enough patches: images, and
// rows of them. Equal parts: the last one ends at the end. A row is one run of the result.

// CHECK-LABEL: @unknown
// CHECK: call @shlo.patches.0(%{{.*}}) : (tensor<?x?xf32>, tensor<?x?x?x3xf32>, tensor<3x3x3x8xf32>, index, index, index)
// CHECK: func.func private @shlo.patches.0(
// CHECK: arith.constant 4194304 : index
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: %[[IMAGE:.*]] = arith.minsi
// CHECK: %[[ROW:.*]] = arith.minsi
// CHECK: tensor.extract_slice
// CHECK: linalg.generic
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x?x8xf32>, tensor<1x?x27xf32>, tensor<1x27x8xf32>)
// CHECK: %[[START:.*]] = arith.muli %[[ROW]],
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[IMAGE]], %[[START]]]
func.func @unknown(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<?x?x?x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<?x?x?x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x?x?x8xf32>
  return %0 : tensor<?x?x?x8xf32>
}

// -----

// One tap: the patches are the input, whatever its sizes are.

// CHECK-LABEL: @unknown_with_one_tap
// CHECK-NOT: linalg.generic
// CHECK-NOT: scf.for
// CHECK: call @shlo.gemm.0
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @unknown_with_one_tap(%x: tensor<?x?x?x8xf32>, %w: tensor<1x1x8x8xf32>) -> tensor<?x?x?x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<?x?x?x8xf32>, tensor<1x1x8x8xf32>) -> tensor<?x?x?x8xf32>
  return %0 : tensor<?x?x?x8xf32>
}
