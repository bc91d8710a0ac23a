// Small products are loops, large ones of f32 and f64 are matrices for a library.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --shlo-choose-kernels --split-input-file | FileCheck %s

// Results run over batching, then free lhs, then free rhs dimensions; 16 bits are summed in 32.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-LABEL: @small
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: outs(%{{.*}} : tensor<2x3x5xf32>)
// CHECK-COUNT-2: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @small(%x: tensor<3x2x4xbf16>, %y: tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1]
    : (tensor<3x2x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16>
  return %0 : tensor<2x3x5xbf16>
}

// -----

// Contracting dimensions in front need no transpose in memory.
// CHECK-LABEL: @large
// CHECK-NOT: linalg.generic
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x64x32xf32>, tensor<1x16x64xf32>, tensor<1x32x16xf32>)
// CHECK: func.func private @shlo.gemm.0
// CHECK-SAME: shlo.kernel = {kind = "gemm", transpose_lhs = true, transpose_rhs = true}
func.func @large(%x: tensor<16x64xf32>, %y: tensor<32x16xf32>) -> tensor<64x32xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1]
    : (tensor<16x64xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// No library multiplies integers; large products have a kernel of our own.
// CHECK-LABEL: @integers
// CHECK-NOT: linalg.generic
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x64x64xi32>, tensor<1x64x64xi32>, tensor<1x64x64xi32>)
// CHECK: func.func private @shlo.gemm.0
// CHECK: arith.muli
// CHECK: arith.addi
func.func @integers(%x: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// Sizes that run time tells: the library, whatever they turn out to be.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check(%{{.*}}) {shlo.message = "stablehlo.dot_general: {{.*}} differ: {{.*}}"}
// CHECK-NOT: linalg.generic
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<1x?x?xf32>, tensor<1x?x?xf32>, tensor<1x?x?xf32>)
// CHECK: tensor.reshape {{.*}} -> tensor<?x?xf32>
func.func @unknown(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// However many small matrices are loops, ones that are not are the library's.
// CHECK-LABEL: @small
// CHECK-NOT: call
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: return
func.func @small(%x: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<?x3x3xf32>, tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  return %0 : tensor<?x3x3xf32>
}

// -----

// CHECK-LABEL: @not_small
// CHECK: call @shlo.gemm.0(%{{.*}}) : (tensor<?x8x8xf32>, tensor<?x8x8xf32>, tensor<?x8x8xf32>)
func.func @not_small(%x: tensor<?x8x8xf32>) -> tensor<?x8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  return %0 : tensor<?x8x8xf32>
}

// -----

// Sums of products are kept in f32.
// CHECK-LABEL: @contracted
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<2x2xf32>)
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<2x2xi8>)
func.func @contracted(%x: tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  return %0 : tensor<2x2xf8E5M2>
}
