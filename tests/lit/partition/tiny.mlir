// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Stages of tiny tensors that follow each other become one.
// CHECK-LABEL: func.func public @runs
// CHECK-NEXT: %[[r:.*]]:2 = call @stage.0(%arg0, %arg1)
// CHECK-NEXT: return %[[r]]#0, %[[r]]#1
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.stage = "tiny"
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.sine
// CHECK: stablehlo.reduce
func.func public @runs(%m: tensor<3x3xf32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.sine %x : tensor<3xf32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %1, %2 : tensor<3xf32>, tensor<f32>
}

// -----

// A loop of tiny tensors is a stage, with all that it uses.
// CHECK-LABEL: func.func public @loop
// CHECK-NEXT: %[[r:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: return %[[r]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.stage = "tiny"
// CHECK: stablehlo.while
// CHECK: stablehlo.compare
func.func public @loop(%x: tensor<f32>) -> tensor<f32> {
  %limit = stablehlo.add %x, %x : tensor<f32>
  %0 = stablehlo.while(%i = %x) : tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %i : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
  return %0 : tensor<f32>
}

// -----

// What a large stage computes on its way stays there; what only cuts a large tensor does not.
// CHECK-LABEL: func.func public @mixed
// CHECK-NEXT: %[[a:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: %[[b:.*]] = call @stage.1(%[[a]])
// CHECK-NEXT: return %[[a]], %[[b]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.stage = "row"
// CHECK: stablehlo.multiply
// CHECK: func.func private @stage.1
// CHECK-SAME: shlo.stage = "tiny"
// CHECK: stablehlo.slice
// CHECK: stablehlo.dot_general
func.func public @mixed(%x: tensor<8x100xf32>) -> (tensor<8x100xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x100xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x100xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<8x100xf32>
  %4 = stablehlo.slice %3 [1:8:2, 0:1] : (tensor<8x100xf32>) -> tensor<4x1xf32>
  %5 = stablehlo.reshape %4 : (tensor<4x1xf32>) -> tensor<4xf32>
  %6 = stablehlo.negate %5 : tensor<4xf32>
  %7 = stablehlo.dot_general %5, %6, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %3, %7 : tensor<8x100xf32>, tensor<f32>
}
