// Once sizes are known, what was left to run time is decided.
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-legalize-shape,shlo-refine-arguments{types=tensor<3x1xf32>,tensor<4xf32>},shlo-refine-shapes,shlo-fold,shlo-canonicalize-dynamism,shlo-check-shape-assertions)' | FileCheck %s
// RUN: not %shlo-opt %s --pass-pipeline='builtin.module(shlo-legalize-shape,shlo-refine-arguments{types=tensor<3x5xf32>,tensor<4xf32>},shlo-refine-shapes,shlo-check-shape-assertions)' 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: func.func @main(%arg0: tensor<3x1xf32>, %arg1: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xi64>)
// CHECK-NEXT: %[[N:.+]] = stablehlo.constant dense<12> : tensor<1xi64>
// CHECK-NEXT: %[[R:.+]] = stablehlo.broadcast_in_dim %arg0, dims = [0, 1]
// CHECK-NEXT: return %[[R]], %[[N]]
// ERROR: :13:8: error: required broadcastable shapes: [3, 5] and [4]
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<1xindex>) {
  %sa = shape.shape_of %a : tensor<?x?xf32> -> !shape.shape
  %sb = shape.shape_of %b : tensor<?xf32> -> !shape.shape
  %s = shape.broadcast %sa, %sb : !shape.shape, !shape.shape -> !shape.shape
  %n = shape.num_elements %s : !shape.shape -> !shape.size
  %i = shape.size_to_index %n : !shape.size
  %t = tensor.from_elements %i : tensor<1xindex>
  %e = shape.to_extent_tensor %s : !shape.shape -> tensor<2xindex>
  %x = stablehlo.dynamic_broadcast_in_dim %a, %e, dims = [0, 1]
    : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %x, %t : tensor<?x?xf32>, tensor<1xindex>
}
