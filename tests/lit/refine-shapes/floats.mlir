// Sizes may be computed in floats on the way, where everybody rounds alike.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// ceil(5 / 2) is 3.
// CHECK-LABEL: @main
// CHECK-SAME: -> (tensor<3xf32>, tensor<?xf32>)
func.func @main(%x: tensor<5xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<5xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f64>
  %half = stablehlo.divide %f, %two : tensor<f64>
  %up = stablehlo.ceil %half : tensor<f64>
  %m = stablehlo.convert %up : (tensor<f64>) -> tensor<i32>
  %shape = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>

  // Nobody promises how an exponential is rounded.
  %e = stablehlo.exponential %half : tensor<f64>
  %k = stablehlo.convert %e : (tensor<f64>) -> tensor<i32>
  %open = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %open, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
