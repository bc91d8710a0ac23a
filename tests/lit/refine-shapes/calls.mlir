// A function that is called with several types becomes several functions; leading sizes that are
// known are no arguments any more. The C++ pass refuses a function that is called in two ways.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<4xf32>, tensor<6xf32>, tensor<8x4xf32>, tensor<5x4xf32>)
// CHECK: call @twice(%{{.*}}) : (tensor<2xf32>) -> tensor<4xf32>
// CHECK: call @twice_0(%{{.*}}) : (tensor<3xf32>) -> tensor<6xf32>
// CHECK: call @rows(%arg2) : (tensor<4xf32>) -> tensor<8x4xf32>
// CHECK: call @rows_0(%arg2) : (tensor<4xf32>) -> tensor<5x4xf32>
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %x = stablehlo.abs %a : (tensor<2xf32>) -> tensor<?xf32>
  %y = stablehlo.abs %b : (tensor<3xf32>) -> tensor<?xf32>
  %0 = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @twice(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %c, dim = 0 : (tensor<4xf32>) -> tensor<i32>
  %m = stablehlo.add %n, %n : tensor<i32>
  %2 = func.call @rows(%m, %c) : (tensor<i32>, tensor<4xf32>) -> tensor<?x4xf32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %3 = func.call @rows(%five, %c) : (tensor<i32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func private @twice(%arg0: tensor<2xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func private @twice_0(%arg0: tensor<3xf32>) -> tensor<6xf32>
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func private @rows(%arg0: tensor<4xf32>) -> tensor<8x4xf32>
// CHECK: stablehlo.constant dense<[8, 4]> : tensor<2xi32>
// CHECK-NOT: stablehlo.concatenate
// CHECK-LABEL: func.func private @rows_0(%arg0: tensor<4xf32>) -> tensor<5x4xf32>
func.func private @rows(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %r, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
    : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A function that people can call stays as it is; what main calls is a copy.
// CHECK-LABEL: func.func @public(%arg0: tensor<?xf32>) -> tensor<?xf32>
// CHECK-LABEL: func.func private @public_0(%arg0: tensor<7xf32>) -> tensor<7xf32>
func.func @public(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK: call @public_0(%{{.*}}) : (tensor<7xf32>) -> tensor<7xf32>
func.func @other(%x: tensor<7xf32>) -> tensor<?xf32> {
  %0 = stablehlo.abs %x : (tensor<7xf32>) -> tensor<?xf32>
  %1 = func.call @public(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
