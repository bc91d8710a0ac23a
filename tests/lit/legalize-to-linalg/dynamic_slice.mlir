// Start indices are clamped so that the slice lies inside; unsigned ones are never negative.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @signed
// CHECK: %[[START:.*]] = tensor.extract %arg1[]
// CHECK: %[[MOST:.*]] = arith.constant 6 : index
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[START]] : i32 to index
// CHECK: %[[BELOW:.*]] = arith.minsi %[[INDEX]], %[[MOST]]
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[BELOW]], %[[ZERO]]
// CHECK: tensor.extract_slice %arg0[%[[INSIDE]]] [4] [1]
func.func @signed(%x: tensor<10xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<10xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 255 is large, not -1.
// CHECK-LABEL: @unsigned
// CHECK: %[[INDEX:.*]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: arith.minui %[[INDEX]]
// CHECK-NOT: arith.maxsi
// CHECK: return
func.func @unsigned(%x: tensor<10xf32>, %i: tensor<ui8>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<10xf32>, tensor<ui8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
