// As many elements as the result has are kept; the size must say the same.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[SIZE:.*]] = tensor.extract %arg1[]
// CHECK: scf.if
// CHECK: tensor.extract_slice %arg0[0, 0] [2, 3] [1, 1]
func.func @main(%a: tensor<2x4xf32>, %size: tensor<i32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.set_dimension_size"(%a, %size) {dimension = 1 : i64}
    : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @bounded(%a: tensor<4xf32>, %size: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  // expected-error @+1 {{not supported: stablehlo.set_dimension_size}}
  %0 = "stablehlo.set_dimension_size"(%a, %size) {dimension = 0 : i64}
    : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}
