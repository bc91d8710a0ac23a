// Shapes of custom calls: by operands that hold them, and by what is known of the target.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: @shape_operands
// CHECK: stablehlo.custom_call @f({{.*}}) {{.*}} -> (tensor<4x2xf32>, tensor<?xf32>)
func.func @shape_operands(%x: tensor<4x2xf32>, %n: tensor<1xi64>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x2xf32>) -> tensor<i32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %s1, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0:2 = stablehlo.custom_call @f(%x, %shape, %n) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>}
    : (tensor<4x2xf32>, tensor<2xi32>, tensor<1xi64>) -> (tensor<?x?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xf32>
}

// What JAX calls for sums along a symbolic dimension, random bits of a symbolic shape, and so on.
// CHECK-LABEL: @jax
// CHECK: @stablehlo.dynamic_reduce_window({{.*}} -> tensor<7x2xf32>
// CHECK: @stablehlo.dynamic_rng_bit_generator({{.*}} -> (tensor<2xui64>, tensor<7x2xui32>)
// CHECK: @stablehlo.dynamic_top_k({{.*}} -> (tensor<7x1xf32>, tensor<7x1xi32>)
func.func @jax(%x: tensor<7x2xf32>, %state: tensor<2xui64>)
    -> (tensor<?x2xf32>, tensor<2xui64>, tensor<?x2xui32>, tensor<?x?xf32>, tensor<?x?xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %window = stablehlo.constant dense<[7, 1]> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %padding = stablehlo.constant dense<[[6, 0], [0, 0]]> : tensor<2x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %window, %ones, %ones, %ones, %padding)
    {api_version = 2 : i32, called_computations = [@sum]}
    : (tensor<7x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x2xf32>
  %shape = stablehlo.constant dense<[7, 2]> : tensor<2xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape)
    {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
    : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x2xui32>)
  %k = stablehlo.constant dense<1> : tensor<i32>
  %2:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32}
    : (tensor<7x2xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %0, %1#0, %1#1, %2#0, %2#1 : tensor<?x2xf32>, tensor<2xui64>, tensor<?x2xui32>, tensor<?x?xf32>, tensor<?x?xi32>
}

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
