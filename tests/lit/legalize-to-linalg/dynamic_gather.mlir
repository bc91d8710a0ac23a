// Slices have the sizes of the result; where they start is clamped.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Along the dimension that is dropped a slice has 0 or 1 elements.
// CHECK-LABEL: @main
// CHECK: %[[DROPPED:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[SINGLE:.*]] = arith.cmpi sle, %[[DROPPED]], %c1
// CHECK: call @shlo.check(%[[SINGLE]], %[[DROPPED]], %c1{{.*}}are not 1 along [0]: arg2[0] = {0} is more than {1}"}
// CHECK: %[[KEPT:.*]] = arith.cmpi eq, %c2
// CHECK: call @shlo.check(%[[KEPT]]
// CHECK: linalg.generic
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %arg0
func.func @main(%a: tensor<3x4xf32>, %i: tensor<5x2xi64>, %sizes: tensor<2xi32>) -> tensor<5x2xf32> {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0, 1], index_vector_dim = 1>
  } : (tensor<3x4xf32>, tensor<5x2xi64>, tensor<2xi32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
