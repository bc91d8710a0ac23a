// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Both sums in one pass.

// CHECK-LABEL: @main
// CHECK: %[[SUMS:.*]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK-NOT: reduction
// CHECK: return %{{.*}}, %{{.*}}, %[[SUMS]]#0
func.func @main(%x: tensor<8x4xf32>, %scale: tensor<4xf32>, %mean: tensor<4xf32>,
                %variance: tensor<4xf32>, %grad: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
    <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
}
