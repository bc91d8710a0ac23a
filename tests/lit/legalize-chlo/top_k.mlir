// The k largest: a stable sort in descending order together with positions, then slices.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// Floats in total order: NaN first, +0 before -0.
// CHECK-LABEL: @floats
// CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 1 : tensor<2x5xi32>
// CHECK: %[[SORTED:.*]]:2 = "stablehlo.sort"(%arg0, %[[IOTA]]) <{dimension = 1 : i64, is_stable = true}>
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice %[[SORTED]]#0 [0:2, 0:3]
// CHECK: stablehlo.slice %[[SORTED]]#1 [0:2, 0:3]
func.func @floats(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// CHECK-LABEL: @integers
// CHECK: stablehlo.compare GT, %{{[^,]*}}, %{{[^,]*}} : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
func.func @integers(%x: tensor<5xui8>) -> tensor<5xi32> {
  %0:2 = chlo.top_k(%x, k = 5) : tensor<5xui8> -> (tensor<5xui8>, tensor<5xi32>)
  return %0#1 : tensor<5xi32>
}
