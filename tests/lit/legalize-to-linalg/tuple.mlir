// A tuple is its elements, spread out, also where functions take and return it.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xi8>) -> (tensor<3xi8>, tensor<2xf32>)
// CHECK-NEXT: return %[[B]], %[[A]]
func.func @main(%a: tensor<2xf32>, %b: tensor<3xi8>) -> tuple<tensor<3xi8>, tensor<2xf32>> {
  %0 = stablehlo.tuple %b, %a : tuple<tensor<3xi8>, tensor<2xf32>>
  return %0 : tuple<tensor<3xi8>, tensor<2xf32>>
}

// Tuples in tuples as well.
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @nested(%a: tensor<2xf32>) -> tuple<tuple<tensor<2xf32>>, tensor<2xf32>> {
  %0 = stablehlo.tuple %a : tuple<tensor<2xf32>>
  %1 = stablehlo.tuple %0, %a : tuple<tuple<tensor<2xf32>>, tensor<2xf32>>
  return %1 : tuple<tuple<tensor<2xf32>>, tensor<2xf32>>
}
