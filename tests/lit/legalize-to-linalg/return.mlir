// A function that ends with stablehlo.return ends with func.return, without tokens.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xi8>) -> (tensor<3xi8>, tensor<2xf32>)
// CHECK-NEXT: {{^ *}}return %[[B]], %[[A]] : tensor<3xi8>, tensor<2xf32>
func.func @main(%a: tensor<2xf32>, %b: tensor<3xi8>) -> (tensor<3xi8>, tensor<2xf32>) {
  "stablehlo.return"(%b, %a) : (tensor<3xi8>, tensor<2xf32>) -> ()
}

// CHECK-LABEL: @token(
// CHECK-NEXT: {{^ *}}return %arg0 : tensor<2xf32>
func.func @token(%a: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  "stablehlo.return"(%0, %a) : (!stablehlo.token, tensor<2xf32>) -> ()
}
