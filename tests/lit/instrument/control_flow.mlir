// Probes are in regions of while, if and case and in functions; not where scalars are computed:
// in the regions of reduce, in functions that these call, and in functions that custom calls name.

// RUN: %shlo-opt %s --shlo-instrument | FileCheck %s

// CHECK-LABEL: func.func private @twice
// CHECK: stablehlo.add
// CHECK-NEXT: @shlo.probe{{.*}}function = "twice"{{.*}}site = 0
// CHECK-LABEL: func.func private @larger
// CHECK-NOT: @shlo.probe
// CHECK-LABEL: func.func private @inner
// CHECK-NOT: @shlo.probe
// CHECK-LABEL: func.func private @order
// CHECK-NOT: @shlo.probe
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: stablehlo.compare
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.compare"{{.*}}site = 2
// CHECK: do {
// CHECK: stablehlo.subtract
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.subtract"{{.*}}site = 3
// CHECK: func.call @twice
// CHECK-NEXT: @shlo.probe{{.*}}op = "func.call"{{.*}}site = 4
// CHECK: @shlo.probe{{.*}}op = "stablehlo.while"{{.*}}site = 1
// CHECK: "stablehlo.if"
// CHECK: stablehlo.negate
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.negate"
// CHECK: stablehlo.abs
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.abs"
// CHECK: @shlo.probe{{.*}}op = "stablehlo.if"
// CHECK: "stablehlo.case"
// CHECK: stablehlo.sine
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.sine"
// CHECK: @shlo.probe{{.*}}op = "stablehlo.case"
// CHECK: stablehlo.reduce
// CHECK: func.call @larger
// CHECK-NEXT: stablehlo.return
// CHECK: @shlo.probe{{.*}}op = "stablehlo.reduce"
// CHECK: stablehlo.custom_call @ApproxTopK
// CHECK-NEXT: @shlo.probe{{.*}}op = "stablehlo.custom_call"

func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = func.call @inner(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @inner(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @order(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %double = func.call @twice(%y) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %double : tensor<i32>, tensor<4xf32>
  }
  %done = stablehlo.compare EQ, %r#0, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %either = "stablehlo.if"(%done) ({
    %a = stablehlo.negate %r#1 : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %b = stablehlo.abs %r#1 : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %chosen = "stablehlo.case"(%n) ({
    %c = stablehlo.sine %either : tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %max = stablehlo.reduce(%chosen init: %least) across dimensions = [0]
    : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %larger = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %larger : tensor<f32>
    }
  %top = stablehlo.custom_call @ApproxTopK(%chosen, %least) {called_computations = [@order]}
    : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %max, %top : tensor<f32>, tensor<4xf32>
}
