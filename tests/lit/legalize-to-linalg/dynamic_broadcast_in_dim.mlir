// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK: #[[STRETCHED:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: @main
// CHECK: scf.if
// CHECK-NEXT: func.call @shlo.host.0(%arg1)
// CHECK: linalg.generic {indexing_maps = [#[[STRETCHED]],
func.func @main(%a: tensor<1x3xf32>, %shape: tensor<2xi32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %shape, dims = [0, 1]
    : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A broken promise fails whatever the operands are.
// CHECK-LABEL: @promise
// CHECK: %[[ALWAYS:.*]] = arith.constant true
// CHECK-NEXT: scf.if %[[ALWAYS]] {
// CHECK-NEXT: func.call @[[FAIL:.*]]() : () -> ()
func.func @promise(%a: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %shape) {
    broadcast_dimensions = array<i64: 0, 1>, known_nonexpanding_dimensions = array<i64: 0>
  } : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK: @[[FAIL]]() attributes {{.*}}dimension 0 of the operand is said not to expand, and does
