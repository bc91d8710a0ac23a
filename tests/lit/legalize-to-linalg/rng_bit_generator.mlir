// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Six counters make twelve words: one loop with two results, side by side in the first even
// dimension. The state moves on by six.

// CHECK-LABEL: @main
// CHECK: %[[MADE:.*]]:2 = linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<6xi32>, tensor<6xi32>)
// CHECK: tensor.expand_shape %[[MADE]]#0 {{.*}} : tensor<6xi32> into tensor<3x2xi32>
// CHECK: tensor.insert_slice %{{.*}}[0, 0] [3, 2] [1, 2] : tensor<3x2xi32> into tensor<3x4xi32>
// CHECK: tensor.expand_shape %[[MADE]]#1
// CHECK: tensor.insert_slice %{{.*}}[0, 1] [3, 2] [1, 2] : tensor<3x2xi32> into tensor<3x4xi32>
// CHECK: %[[SIX:.*]] = arith.constant 6 : i64
// CHECK: arith.addi %{{.*}}, %[[SIX]] : i64
// CHECK: tensor.insert
func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3x4xui32>
}
