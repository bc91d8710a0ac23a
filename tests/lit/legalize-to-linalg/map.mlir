// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i1):
// CHECK-NEXT: %[[LESS:.*]] = arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-NEXT: linalg.yield %[[LESS]] : i1
func.func @main(%x: tensor<2x3xui32>, %y: tensor<2x3xui32>) -> tensor<2x3xi1> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
