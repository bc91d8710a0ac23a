// Operands are inserted one behind the other along the dimension; empty ones take no place.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[EMPTY:.*]]: tensor<2x0xf32>, %[[B:.*]]: tensor<2x1xf32>)
// CHECK: %[[TARGET:.*]] = tensor.empty() : tensor<2x4xf32>
// CHECK-NEXT: %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %[[TARGET]][0, 0] [2, 3] [1, 1]
// CHECK-NEXT: %[[BOTH:.*]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 3] [2, 1] [1, 1]
// CHECK-NEXT: return %[[BOTH]]
func.func @main(%a: tensor<2x3xf32>, %empty: tensor<2x0xf32>, %b: tensor<2x1xf32>)
    -> tensor<2x4xf32> {
  %0 = stablehlo.concatenate %a, %empty, %b, dim = 1
    : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Parts of unknown sizes: the whole has memory of its own, or writes would move before the checks.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check
// CHECK: %[[TARGET:.*]] = bufferization.alloc_tensor() : tensor<5xf32>
// CHECK: tensor.insert_slice %arg0 into %[[TARGET]]
func.func @unknown(%a: tensor<?xf32>, %b: tensor<1xf32>) -> tensor<5xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
