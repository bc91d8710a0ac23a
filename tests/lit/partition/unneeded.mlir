// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// A loop and a sort whose results nobody reads are left out, and so is what they are made of.
// CHECK-LABEL: func.func public @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
// CHECK-NEXT: %[[result:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: return %[[result]]
// CHECK-NOT: stablehlo.tanh
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %start = stablehlo.tanh %x : tensor<64xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %start) : tensor<i32>, tensor<64xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.sine %y : tensor<64xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<64xf32>
  }
  %1:2 = "stablehlo.sort"(%0#1, %x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %unread = stablehlo.multiply %1#0, %1#1 : tensor<64xf32>
  %result = stablehlo.exponential %x : tensor<64xf32>
  return %result : tensor<64xf32>
}

// -----

// Calls of the host are made where nobody reads what they give: they may fail.
// CHECK-LABEL: func.func public @called
// CHECK-NEXT: call @stage.0
// CHECK-NEXT: return
func.func public @called(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.custom_call @user.checks(%x) {api_version = 4 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1:2 = stablehlo.while(%i = %zero, %y = %0) : tensor<i32>, tensor<4x4xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.sine %y : tensor<4x4xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<4x4xf32>
  }
  return %x : tensor<4x4xf32>
}

// -----

// So are loops that do more than compute.
// CHECK-LABEL: func.func public @effects
// CHECK: stablehlo.while
// CHECK: return
func.func public @effects(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %2 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.custom_call @user.prints(%i) {has_side_effect = true, api_version = 4 : i32} : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }
  return %x : tensor<64xf32>
}

// -----

// So are loops of which nothing says that they end.
// CHECK-LABEL: func.func public @endless
// CHECK: stablehlo.while
// CHECK: return
func.func public @endless(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %2 = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %x : tensor<i32>
}

// -----

// A loop carries neither the history that nobody reads, nor the exponent that stays the same: it is
// a number where it is used, and the power a product.
// CHECK-LABEL: func.func public @carried
// CHECK: stablehlo.while(%{{[^,]*}}, %{{[^,]*}}) : tensor<i32>, tensor<2048xf32>
// CHECK-NOT: stablehlo.power
// CHECK-NOT: stablehlo.dynamic_update_slice
func.func public @carried(%x: tensor<2048xf32>, %n: tensor<i32>) -> tensor<2048xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<100x2048xf32>
  %0:4 = stablehlo.while(%i = %zero, %y = %x, %exponent = %two, %history = %nothing) : tensor<i32>, tensor<2048xf32>, tensor<i32>, tensor<100x2048xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.convert %exponent : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2048xf32>
    %4 = stablehlo.power %y, %3 : tensor<2048xf32>
    %5 = stablehlo.reshape %4 : (tensor<2048xf32>) -> tensor<1x2048xf32>
    %6 = stablehlo.dynamic_update_slice %history, %5, %i, %zero : (tensor<100x2048xf32>, tensor<1x2048xf32>, tensor<i32>, tensor<i32>) -> tensor<100x2048xf32>
    %7 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %7, %4, %exponent, %6 : tensor<i32>, tensor<2048xf32>, tensor<i32>, tensor<100x2048xf32>
  }
  return %0#1 : tensor<2048xf32>
}
