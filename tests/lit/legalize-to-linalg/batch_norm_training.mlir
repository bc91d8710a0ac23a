// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Two passes of sums, the second of squared distances from the mean, then one over the elements.

// CHECK-LABEL: @main
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK: arith.addf
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: reduction
// CHECK: return
func.func @main(%x: tensor<8x4xf32>, %scale: tensor<4xf32>, %offset: tensor<4xf32>)
    -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset)
    <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
}
