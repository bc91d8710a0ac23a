// Arguments are one array of dense attributes, of the types that the entry function has.
// RUN: stablehlo-translate --interpret --args="[dense<[1, 2]> : tensor<2xi32>, dense<3.0> : tensor<f32>]" %s | FileCheck %s
// CHECK: tensor<2xi32> {
// CHECK-NEXT: [2, 4]
// CHECK: tensor<f32> {3.000000e+00}

// RUN: not stablehlo-translate --interpret %s 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: incorrect number of arguments specified, provided 0 inputs but function expected 2

// RUN: not stablehlo-translate --interpret --args="[dense<1.0> : tensor<3xf32>, dense<3.0> : tensor<f32>]" %s 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: invalid input argument type at index 0, input type was tensor<3xf32> but entry function expected tensor<?xi32>
// RUN: not stablehlo-translate --interpret --args="dense<1> : tensor<2xi32>" %s 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not stablehlo-translate --interpret --args="[dense<" %s 2>&1 | FileCheck %s --check-prefix=ARRAY
// ARRAY: error: expected array attribute string for args, i.e. --args=[dense<1> : tensor<2xi32>, ...]
// RUN: not stablehlo-translate --interpret --args="[1, 2]" %s 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: error: expected dense elements attribute for args elements, i.e. --args=[dense<1> : tensor<2xi32>, ...]
func.func @main(%arg0: tensor<?xi32>, %arg1: tensor<f32>) -> (tensor<?xi32>, tensor<f32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<?xi32>
  return %0, %arg1 : tensor<?xi32>, tensor<f32>
}
