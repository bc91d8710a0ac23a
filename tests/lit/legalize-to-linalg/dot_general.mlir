// Dot products are loops; the innermost one is over the result's last dimension.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// Results run over batching, then free lhs, then free rhs dimensions; 16 bits are summed in 32.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-LABEL: @batched
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
// CHECK-SAME: outs(%{{.*}} : tensor<2x3x5xf32>)
// CHECK-COUNT-2: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @batched(%x: tensor<3x2x4xbf16>, %y: tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1]
    : (tensor<3x2x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16>
  return %0 : tensor<2x3x5xbf16>
}

// -----

// Nothing is moved, wherever dimensions stand.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: @transposed
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]],
// CHECK-SAME: ins(%arg0, %arg1 : tensor<16x64xi32>, tensor<32x16xi32>)
// CHECK: arith.muli
// CHECK: arith.addi
func.func @transposed(%x: tensor<16x64xi32>, %y: tensor<32x16xi32>) -> tensor<64x32xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1]
    : (tensor<16x64xi32>, tensor<32x16xi32>) -> tensor<64x32xi32>
  return %0 : tensor<64x32xi32>
}

// -----

// The sizes of a result are computed before, and checked.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}} "stablehlo.dot_general: {{.*}} differ: {{.*}}"}
// CHECK: tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>)
func.func @unknown(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Sums of products are kept in f32.
// CHECK-LABEL: @narrow
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<2x2xf32>)
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<2x2xi8>)
func.func @narrow(%x: tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  return %0 : tensor<2x2xf8E5M2>
}
