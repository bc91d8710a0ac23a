// A scalar predicate is read at every element.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-DAG: #[[EVERY:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: @scalar
// CHECK: linalg.generic {indexing_maps = [#[[ONE]], #[[EVERY]], #[[EVERY]], #[[EVERY]]]
// CHECK: ^bb0(%[[P:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.select %[[P]], %[[A]], %[[B]] : f32
func.func @scalar(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @each
// CHECK: linalg.generic {indexing_maps = [#[[EVERY]], #[[EVERY]], #[[EVERY]], #[[EVERY]]]
// CHECK: ^bb0(%[[P:.*]]: i1, %[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: arith.select %[[P]], %[[A]], %[[B]] : i8
func.func @each(%p: tensor<4xi1>, %a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xui8>
  return %0 : tensor<4xui8>
}
