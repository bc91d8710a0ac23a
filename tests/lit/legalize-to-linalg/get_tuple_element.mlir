// The index counts elements of the tuple, not the values that they are spread out to.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-SAME: %{{[^,]*}}, %{{[^,]*}}, %[[C:.*]]: tensor<3xi8>) -> tensor<3xi8>
// CHECK-NEXT: return %[[C]]
func.func @main(%t: tuple<!stablehlo.token, tuple<tensor<2xf32>, tensor<2xf32>>, tensor<3xi8>>)
    -> tensor<3xi8> {
  %0 = stablehlo.get_tuple_element %t[2]
    : (tuple<!stablehlo.token, tuple<tensor<2xf32>, tensor<2xf32>>, tensor<3xi8>>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @inner(
// CHECK-SAME: %{{[^,]*}}, %[[B:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[B]]
func.func @inner(%t: tuple<tuple<tensor<2xf32>, tensor<2xf32>>>) -> tensor<2xf32> {
  %0 = stablehlo.get_tuple_element %t[0]
    : (tuple<tuple<tensor<2xf32>, tensor<2xf32>>>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
