// A process in no group gets zeros.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: return %arg0
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @in_no_group
// CHECK: %[[ZEROS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: return %[[ZEROS]]
func.func @in_no_group(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<> : tensor<0x0xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
