// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @main
// CHECK: "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>}>
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK-NOT: cross-replica-sum
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
