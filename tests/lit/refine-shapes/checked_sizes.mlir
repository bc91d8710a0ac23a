// Sizes that an op has checked against each other are one from there on: with the size of %b known,
// that of %a is, too. The C++ pass looks at one op at a time.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME: -> (tensor<6xf32>, tensor<12xf32>, tensor<?xf32>)
func.func @main(%a: tensor<?xf32>, %b: tensor<6xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // Before the check nothing is known.
  // CHECK: stablehlo.abs %arg0 : tensor<?xf32>
  %0 = stablehlo.abs %a : tensor<?xf32>
  // CHECK: stablehlo.add %arg0, %arg1 : (tensor<?xf32>, tensor<6xf32>) -> tensor<6xf32>
  %1 = stablehlo.add %a, %b : (tensor<?xf32>, tensor<6xf32>) -> tensor<?xf32>
  // CHECK: stablehlo.concatenate %arg0, %{{.*}}, dim = 0 : (tensor<?xf32>, tensor<6xf32>) -> tensor<12xf32>
  %2 = stablehlo.concatenate %a, %1, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %2, %0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Divisors and ranges: a quarter of what an assertion calls a multiple of 4 is no fraction.
// CHECK-LABEL: @quarters
// CHECK-SAME: -> tensor<?x4xf32>
// CHECK: stablehlo.dynamic_reshape %arg0, %{{.*}} : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
func.func @quarters(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %rest = stablehlo.remainder %n, %four : tensor<i32>
  %ok = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %q = stablehlo.divide %n, %four : tensor<i32>
  // n divided by (n / 4) is 4.
  %r = stablehlo.divide %n, %q : tensor<i32>
  %q1 = stablehlo.reshape %q : (tensor<i32>) -> tensor<1xi32>
  %f1 = stablehlo.reshape %four : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %q1, %f1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Known integers are constants, and the op stays whose sizes are to be checked.
// CHECK-LABEL: @known_and_checked
// CHECK: stablehlo.dynamic_reshape %{{.*}}, %arg0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
// CHECK: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<0xi8>, tensor<2xi32>) -> tensor<0x3xi8>
func.func @known_and_checked(%n: tensor<1xi32>, %m: tensor<1xi32>, %e: tensor<0xi8>) -> (tensor<2xi32>, tensor<?x3xi8>) {
  %two = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %two, %n : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %s = stablehlo.concatenate %zero, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.dynamic_reshape %e, %s : (tensor<0xi8>, tensor<2xi32>) -> tensor<?x3xi8>
  return %0, %1 : tensor<2xi32>, tensor<?x3xi8>
}
