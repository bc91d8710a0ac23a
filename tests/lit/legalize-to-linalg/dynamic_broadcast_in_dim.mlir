// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK: #[[STRETCHED:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: @main
// CHECK: %[[ROWS:.*]] = arith.index_cast
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %c2{{.*}}, %[[ROWS]]
// CHECK: call @shlo.check(%[[FITS]], %c2{{.*}}, %[[ROWS]])
// CHECK: linalg.generic {indexing_maps = [#[[STRETCHED]],
func.func @main(%a: tensor<1x3xf32>, %shape: tensor<2xi32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %shape, dims = [0, 1]
    : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Only run time tells whether a dimension stretches, and whether a promise is kept.
// CHECK-LABEL: @unknown
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0
// CHECK: call @shlo.check({{.*}}dimension 0 of the operand is said not to expand, and does
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK: tensor.extract %arg0
func.func @unknown(%a: tensor<?x?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %shape) {
    broadcast_dimensions = array<i64: 0, 1>, known_nonexpanding_dimensions = array<i64: 0>
  } : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
