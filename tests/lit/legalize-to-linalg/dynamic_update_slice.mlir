// Start indices are clamped so that the whole update lies inside; unsigned ones keep their value.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[LAST_ROW:.*]] = arith.constant 3 : index
// CHECK: %[[ROW:.*]] = arith.index_castui %{{.*}} : i64 to index
// CHECK: %[[I:.*]] = arith.minui %[[ROW]], %[[LAST_ROW]]
// CHECK: %[[LAST_COLUMN:.*]] = arith.constant 7 : index
// CHECK: %[[COLUMN:.*]] = arith.index_castui
// CHECK: %[[J:.*]] = arith.minui %[[COLUMN]], %[[LAST_COLUMN]]
// CHECK: tensor.insert_slice %arg1 into %arg0[%[[I]], %[[J]]] [1, 2] [1, 1]
func.func @main(%x: tensor<4x9xf32>, %u: tensor<1x2xf32>, %i: tensor<ui64>) -> tensor<4x9xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i
    : (tensor<4x9xf32>, tensor<1x2xf32>, tensor<ui64>, tensor<ui64>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// An update of nothing changes nothing.
// CHECK-LABEL: @empty
// CHECK-NEXT: return %arg0
func.func @empty(%x: tensor<4xf32>, %u: tensor<0xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i
    : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
