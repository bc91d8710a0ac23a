// Decided branches and loops, values that loops carry for nothing, tuples.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// An index outside takes the last branch.
// CHECK-LABEL: @decided
// CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.abs %arg0
// CHECK-NEXT: %[[C:.*]] = stablehlo.cosine %arg0
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @decided(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%false) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %n = stablehlo.negate %x : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %below = stablehlo.constant dense<-1> : tensor<i32>
  %1 = "stablehlo.case"(%one) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %a = stablehlo.abs %x : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2 = "stablehlo.case"(%below) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %c = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Effects stay, in the branch that is taken only.
// CHECK-LABEL: @effects
// CHECK-NEXT: stablehlo.custom_call @taken
// CHECK-NOT: @untaken
// CHECK: return
func.func @effects(%x: tensor<f32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  "stablehlo.if"(%true) ({
    stablehlo.custom_call @taken(%x) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return
  }, {
    stablehlo.custom_call @untaken(%x) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// CHECK-LABEL: @same_in_all
// CHECK-NOT: stablehlo.if
// CHECK: %[[C:.*]] = stablehlo.constant dense<2.0
// CHECK: return %arg1, %[[C]]
func.func @same_in_all(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %x, %c : tensor<f32>, tensor<f32>
  }, {
    %d = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %x, %d : tensor<f32>, tensor<f32>
  }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: @never
// CHECK-NEXT: return %arg0
func.func @never(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %false = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %false : tensor<i1>
  } do {
    stablehlo.custom_call @inside(%a) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return %a : tensor<f32>
  }
  return %0 : tensor<f32>
}

// %n stays what it was, %u and %v only serve each other.
// CHECK-LABEL: @carried
// CHECK: %[[LOOP:.*]]:2 = stablehlo.while(%[[I:.*]] = %{{.*}}, %[[A:.*]] = %arg0) : tensor<i32>, tensor<f32> attributes {mhlo.name = "kept"}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.compare LT, %[[I]], %arg1
// CHECK: do {
// CHECK-NOT: stablehlo.multiply
// CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<i32>, tensor<f32>
// CHECK: return %[[LOOP]]#1, %arg1
func.func @carried(%x: tensor<f32>, %limit: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:5 = stablehlo.while(%i = %zero, %u = %x, %n = %limit, %a = %x, %v = %x)
      : tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32> attributes {mhlo.name = "kept"}
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.sine %a : tensor<f32>
    %w = stablehlo.multiply %u, %v : tensor<f32>
    %z = stablehlo.multiply %v, %b : tensor<f32>
    stablehlo.return %next, %z, %n, %b, %w : tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>
  }
  return %r#3, %r#2 : tensor<f32>, tensor<i32>
}

// What an effect or the condition needs is needed.
// CHECK-LABEL: @needed
// CHECK: stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg2)
func.func @needed(%x: tensor<f32>, %p: tensor<i1>, %e: tensor<f32>) -> tensor<f32> {
  %r:3 = stablehlo.while(%a = %x, %go = %p, %seen = %e) : tensor<f32>, tensor<i1>, tensor<f32>
  cond {
    stablehlo.return %go : tensor<i1>
  } do {
    stablehlo.custom_call @look(%seen) {has_side_effect = true} : (tensor<f32>) -> ()
    %b = stablehlo.sine %a : tensor<f32>
    %not = stablehlo.not %go : tensor<i1>
    %s = stablehlo.sine %seen : tensor<f32>
    stablehlo.return %b, %not, %s : tensor<f32>, tensor<i1>, tensor<f32>
  }
  return %r#0 : tensor<f32>
}

// CHECK-LABEL: @tuples
// CHECK-NEXT: return %arg1, %arg2
func.func @tuples(%x: tensor<f32>, %y: tensor<i32>, %t: tuple<tensor<f32>, tensor<i32>>)
    -> (tensor<i32>, tuple<tensor<f32>, tensor<i32>>) {
  %a = stablehlo.tuple %x, %y : tuple<tensor<f32>, tensor<i32>>
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  %b = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
  %c = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  %1 = stablehlo.tuple %b, %c : tuple<tensor<f32>, tensor<i32>>
  return %0, %1 : tensor<i32>, tuple<tensor<f32>, tensor<i32>>
}
