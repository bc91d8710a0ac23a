// Rules that several ops share, for each of those ops; and those of regions and of no elements.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @constants_on_the_right
// CHECK-COUNT-4: stablehlo.{{(minimum|and|or|xor)}} %arg0, %{{c.*}} : tensor<4xi32>
func.func @constants_on_the_right(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<6> : tensor<4xi32>
  %0 = stablehlo.minimum %c, %x : tensor<4xi32>
  %1 = stablehlo.and %c, %x : tensor<4xi32>
  %2 = stablehlo.or %c, %x : tensor<4xi32>
  %3 = stablehlo.xor %c, %x : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @of_one_value
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @of_one_value(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = stablehlo.minimum %x, %x : tensor<4xi32>
  %1 = stablehlo.and %x, %x : tensor<4xi32>
  %2 = stablehlo.or %x, %x : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @neutral_bits
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0
func.func @neutral_bits(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %every = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.or %x, %zero : tensor<4xi32>
  %1 = stablehlo.xor %x, %zero : tensor<4xi32>
  %2 = stablehlo.and %x, %every : tensor<4xi32>
  %3 = stablehlo.shift_right_arithmetic %x, %zero : tensor<4xi32>
  %4 = stablehlo.shift_right_logical %x, %zero : tensor<4xi32>
  return %0, %1, %2, %3, %4
    : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @two_constants
// CHECK-DAG: %[[MIN:.*]] = stablehlo.constant dense<2>
// CHECK-DAG: %[[AND:.*]] = stablehlo.constant dense<4>
// CHECK-DAG: %[[OR:.*]] = stablehlo.constant dense<7>
// CHECK-DAG: %[[XOR:.*]] = stablehlo.constant dense<3>
// CHECK-DAG: stablehlo.minimum %arg0, %[[MIN]]
// CHECK-DAG: stablehlo.and %arg0, %[[AND]]
// CHECK-DAG: stablehlo.or %arg0, %[[OR]]
// CHECK-DAG: stablehlo.xor %arg0, %[[XOR]]
func.func @two_constants(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %two = stablehlo.constant dense<2> : tensor<4xi32>
  %five = stablehlo.constant dense<5> : tensor<4xi32>
  %six = stablehlo.constant dense<6> : tensor<4xi32>
  %a = stablehlo.minimum %x, %two : tensor<4xi32>
  %0 = stablehlo.minimum %a, %five : tensor<4xi32>
  %b = stablehlo.and %x, %five : tensor<4xi32>
  %1 = stablehlo.and %b, %six : tensor<4xi32>
  %c = stablehlo.or %x, %five : tensor<4xi32>
  %2 = stablehlo.or %c, %six : tensor<4xi32>
  %d = stablehlo.xor %x, %five : tensor<4xi32>
  %3 = stablehlo.xor %d, %six : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @two_factors
// CHECK-DAG: %[[MAX:.*]] = stablehlo.constant dense<5>
// CHECK-DAG: %[[MUL:.*]] = stablehlo.constant dense<10>
// CHECK-DAG: stablehlo.maximum %arg0, %[[MAX]]
// CHECK-DAG: stablehlo.multiply %arg0, %[[MUL]]
func.func @two_factors(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %two = stablehlo.constant dense<2> : tensor<4xi32>
  %five = stablehlo.constant dense<5> : tensor<4xi32>
  %a = stablehlo.maximum %x, %two : tensor<4xi32>
  %0 = stablehlo.maximum %a, %five : tensor<4xi32>
  %b = stablehlo.multiply %x, %two : tensor<4xi32>
  %1 = stablehlo.multiply %b, %five : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @absorbing_numbers
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0>
// CHECK-DAG: %[[ALL:.*]] = stablehlo.constant dense<-1>
// CHECK-DAG: %[[MOST:.*]] = stablehlo.constant dense<2147483647>
// CHECK-DAG: %[[LEAST:.*]] = stablehlo.constant dense<-2147483648>
// CHECK: return %[[ZERO]], %[[ALL]], %[[MOST]], %[[LEAST]]
func.func @absorbing_numbers(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %all = stablehlo.constant dense<-1> : tensor<4xi32>
  %most = stablehlo.constant dense<2147483647> : tensor<4xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<4xi32>
  %0 = stablehlo.and %x, %zero : tensor<4xi32>
  %1 = stablehlo.or %x, %all : tensor<4xi32>
  %2 = stablehlo.maximum %x, %most : tensor<4xi32>
  %3 = stablehlo.minimum %x, %least : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @negated_left
// CHECK-NEXT: %[[R:.*]] = stablehlo.subtract %arg1, %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @negated_left(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.negate %x : tensor<4xf32>
  %0 = stablehlo.add %n, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @done_before
// CHECK: %[[A:.*]] = stablehlo.abs %arg0
// CHECK: %[[B:.*]] = stablehlo.ceil %arg0
// CHECK: %[[C:.*]] = stablehlo.floor %arg0
// CHECK: %[[D:.*]] = stablehlo.round_nearest_even %arg0
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @done_before(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.abs %x : tensor<4xf32>
  %0 = stablehlo.abs %a : tensor<4xf32>
  %b = stablehlo.ceil %x : tensor<4xf32>
  %1 = stablehlo.floor %b : tensor<4xf32>
  %c = stablehlo.floor %x : tensor<4xf32>
  %2 = stablehlo.round_nearest_afz %c : tensor<4xf32>
  %d = stablehlo.round_nearest_even %x : tensor<4xf32>
  %3 = stablehlo.ceil %d : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @known_branch
// CHECK-NEXT: %[[A:.*]] = stablehlo.select %arg0, %arg1, %arg3
// CHECK-NEXT: %[[B:.*]] = stablehlo.select %arg0, %arg2, %arg3
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @known_branch(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  %0 = stablehlo.select %p, %a, %z : tensor<4xi1>, tensor<4xf32>
  %b = stablehlo.select %p, %x, %z : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.select %p, %y, %b : tensor<4xi1>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The size is the one that there is.
// CHECK-LABEL: @set_dimension_size
// CHECK-NEXT: return %arg0
func.func @set_dimension_size(%x: tensor<4xf32>) -> tensor<4xf32> {
  %four = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %four, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @same_in_all
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<2.0
// CHECK-NEXT: return %arg2, %[[C]], %arg2
func.func @same_in_all(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %x, %c : tensor<4xf32>, tensor<f32>
  }, {
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %x, %c : tensor<4xf32>, tensor<f32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<f32>)
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0#0, %0#1, %1 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
}

// %a is the same in every iteration.
// CHECK-LABEL: @invariant
// CHECK: stablehlo.while(%[[I:.*]] = %arg1) : tensor<i32>
// CHECK: stablehlo.subtract %[[I]], %arg0
// CHECK: return %{{.*}}, %arg0
func.func @invariant(%a: tensor<i32>, %i: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%j = %i, %b = %a) : tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare GT, %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %less = stablehlo.compare GT, %b, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %both = stablehlo.and %more, %less : tensor<i1>
      stablehlo.return %both : tensor<i1>
    } do {
      %next = stablehlo.subtract %j, %b : tensor<i32>
      stablehlo.return %next, %b : tensor<i32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// CHECK-LABEL: @constant_in_body
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<5> : tensor<i32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<i32>) -> tensor<2xi32>
// CHECK-NEXT: return %[[R]]
func.func @constant_in_body(%x: tensor<2x3xi32>, %s: tensor<i32>) -> tensor<2xi32> {
  %0 = "stablehlo.reduce"(%x, %s) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %five = stablehlo.constant dense<5> : tensor<i32>
      stablehlo.return %five : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @without_elements
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<> : tensor<0x3xf32>
// CHECK-NEXT: return %[[C]]
func.func @without_elements(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.sine %x : tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}
