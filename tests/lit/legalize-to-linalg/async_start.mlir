// What it begins is done at once; a future is the results.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @begin
// CHECK-SAME: -> tensor<2xi8>
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[1] [2] [1]
// CHECK: return %[[S]] : tensor<2xi8>
func.func private @begin(%a: tensor<4xui8>) -> !stablehlo.future<tensor<2xui8>> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%v: tensor<4xui8>):
    %1 = stablehlo.slice %v [1:3] : (tensor<4xui8>) -> tensor<2xui8>
    stablehlo.return %1 : tensor<2xui8>
  }) : (tensor<4xui8>) -> !stablehlo.future<tensor<2xui8>>
  return %0 : !stablehlo.future<tensor<2xui8>>
}
