// RUN: %shlo-opt %s --shlo-name-sizes --split-input-file | FileCheck %s

// Sizes of arguments have names, all others are expressions of them; what is asked for them goes.
// CHECK-LABEL: func.func @bias
// CHECK-SAME: shlo.shapes = ["s0; 8", "8"], shlo.size_checks = [{{.*}}], shlo.symbols = array<i64: 0, 0>
// CHECK-NOT: get_dimension_size
// CHECK: %[[shape:.*]] = tensor.empty() {shlo.elements = "s0; 8"} : tensor<2xi32>
// CHECK-NEXT: stablehlo.dynamic_broadcast_in_dim %arg1, %[[shape]], dims = [1] {shlo.shapes = ["s0; 8"]}
// CHECK-NEXT: stablehlo.add {{.*}} {shlo.shapes = ["s0; 8"]}
func.func @bias(%x: tensor<?x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<8> : tensor<1xi32>
  %s = stablehlo.concatenate %n1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1] : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// What the program demands is checked once, for all that follows.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: shlo.shapes = ["s0", "s0"], shlo.size_checks = ["(s1) == (s0)"], shlo.symbols = array<i64: 0, 0, 1, 0>
// CHECK: stablehlo.add {{.*}} {shlo.shapes = ["s0"]}
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// So is what exporters assert.
// CHECK-LABEL: func.func @asserted
// CHECK-SAME: shlo.size_checks = ["(-max(-s0 + 1, 0) + 1) == (1)"]
// CHECK-NOT: custom_call
func.func @asserted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %n) {error_message = "no {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A size that is computed with as data is one element; how it is computed with stays.
// CHECK-LABEL: func.func @mean
// CHECK: %[[n:.*]] = tensor.empty() {shlo.elements = "s0"} : tensor<i32>
// CHECK: stablehlo.convert %[[n]]
func.func @mean(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.divide %r, %f : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A size that an argument says has a name, too; nobody knows whether it is one.
// CHECK-LABEL: func.func @told
// CHECK-SAME: shlo.shapes = ["1"], shlo.size_checks = [{{.*}}"(0) <= (e0)"{{.*}}], shlo.symbols = array<i64: 0, -1>
// CHECK: %[[s:.*]] = tensor.empty() {shlo.elements = "e0"} : tensor<1xi32>
// CHECK-NEXT: stablehlo.dynamic_iota %[[s]], dim = 0 {shlo.shapes = ["e0"]}
func.func @told(%s: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// A size that is computed from data has no name, and the function stays.
// CHECK-LABEL: func.func @data
// CHECK-NOT: shlo.
// CHECK: return
func.func @data(%s: tensor<1xi32>) -> tensor<?xi32> {
  %t = stablehlo.popcnt %s : tensor<1xi32>
  %0 = stablehlo.dynamic_iota %t, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// Loops carry what has names.
// CHECK-LABEL: func.func @loop
// CHECK: stablehlo.while{{.*}} attributes {shlo.shapes = ["", "s0"]}
// CHECK: stablehlo.tanh {{.*}} {shlo.shapes = ["s0"]}
func.func @loop(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %z = stablehlo.tanh %y : tensor<?xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}

// -----

// A slice that begins where data says, and that is known to lie inside, is gathered.
// CHECK-LABEL: func.func @window
// CHECK: %[[sizes:.*]] = tensor.empty() {shlo.elements = "1; s1"} : tensor<2xi32>
// CHECK: "stablehlo.dynamic_gather"(%arg0, %{{.*}}, %[[sizes]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>{{.*}} {shlo.shapes = ["1; s1"]}
func.func @window(%x: tensor<?x?xf32>, %i: tensor<i32>) -> tensor<1x?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %n) {error_message = "no {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %last = stablehlo.subtract %n, %one : tensor<i32>
  %row = stablehlo.clamp %zero, %i, %last : tensor<i32>
  %row1 = stablehlo.reshape %row : (tensor<i32>) -> tensor<1xi32>
  %zero1 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %start = stablehlo.concatenate %row1, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %size = stablehlo.concatenate %one1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limit = stablehlo.add %start, %size : tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}
