// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Rows that are summed and divided are one stage.
// CHECK-LABEL: func.func public @softmax
// CHECK-NEXT: %[[r:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: return %[[r]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.rows = array<i64: 4, 8>, shlo.stage = "row"
func.func public @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.divide %0, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// A product takes what is made of its rows; equal stages are one function.
// CHECK-LABEL: func.func public @layers
// CHECK-NEXT: %[[a:.*]] = call @stage.0(%arg0, %arg1)
// CHECK-NEXT: %[[b:.*]] = call @stage.0(%[[a]], %arg1)
// CHECK-NEXT: return %[[b]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.stage = "contraction"
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.tanh
// CHECK-NOT: func.func private @stage.1
func.func public @layers(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.tanh %0 : tensor<16x16xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = stablehlo.tanh %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}

// -----

// Control flow stays where the calls are, and its regions become calls, too.
// CHECK-LABEL: func.func public @loop
// CHECK: %[[s:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: %[[r:.*]] = stablehlo.while(%[[i:.*]] = %[[s]])
// CHECK: %[[c:.*]] = func.call @stage.1(%[[i]], %arg0)
// CHECK-NEXT: stablehlo.return %[[c]]
// CHECK: %[[n:.*]] = func.call @stage.0(%[[i]])
// CHECK-NEXT: stablehlo.return %[[n]]
// CHECK: return %[[r]]
func.func public @loop(%x: tensor<99xf32>) -> tensor<99xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %limit = stablehlo.add %x, %x : tensor<99xf32>
  %0 = stablehlo.while(%i = %limit) : tensor<99xf32>
    cond {
      %d = stablehlo.subtract %i, %x : tensor<99xf32>
      %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<99xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare LT, %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %i : tensor<99xf32>
      stablehlo.return %n : tensor<99xf32>
    }
  return %0 : tensor<99xf32>
}

// -----

// Columns that are summed, and what is made of the sums.
// CHECK-LABEL: func.func public @columns
// CHECK-NEXT: call @stage.0(%arg0, %arg1)
// CHECK: shlo.stage = "reduction"
func.func public @columns(%x: tensor<4x8xf32>, %p: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.subtract %p, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Slices that are runs of memory stay where the calls are, so that stages are equal wherever those
// begin. Others belong to their stages.
// CHECK-LABEL: func.func public @runs
// CHECK-DAG: %[[a:.*]] = stablehlo.slice %arg0 [1:2, 2:92]
// CHECK-DAG: %[[b:.*]] = stablehlo.slice %arg0 [3:4, 4:94]
// CHECK-DAG: call @stage.0(%[[a]])
// CHECK-DAG: call @stage.0(%[[b]])
// CHECK-DAG: call @stage.1(%arg0)
// CHECK: func.func private @stage.0(%arg0: tensor<1x90xf32>)
// CHECK: func.func private @stage.1(%arg0: tensor<4x100xf32>)
// CHECK-NEXT: stablehlo.slice %arg0 [0:2, 4:94]
func.func public @runs(%x: tensor<4x100xf32>) -> (tensor<1x90xf32>, tensor<1x90xf32>, tensor<2x90xf32>) {
  %0 = stablehlo.slice %x [1:2, 2:92] : (tensor<4x100xf32>) -> tensor<1x90xf32>
  %1 = stablehlo.negate %0 : tensor<1x90xf32>
  %2 = stablehlo.slice %x [3:4, 4:94] : (tensor<4x100xf32>) -> tensor<1x90xf32>
  %3 = stablehlo.negate %2 : tensor<1x90xf32>
  %4 = stablehlo.slice %x [0:2, 4:94] : (tensor<4x100xf32>) -> tensor<2x90xf32>
  %5 = stablehlo.negate %4 : tensor<2x90xf32>
  return %1, %3, %5 : tensor<1x90xf32>, tensor<1x90xf32>, tensor<2x90xf32>
}

// -----

// A transposition that alone reads a product is how the product is stored.
// CHECK-LABEL: func.func public @gradient
// CHECK-NEXT: %[[p:.*]] = call @stage.0(%arg0, %arg1)
// CHECK-NEXT: %[[r:.*]] = call @stage.1(%arg2, %[[p]])
// CHECK-NEXT: return %[[r]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.stage = "contraction"
// CHECK: stablehlo.dot_general
// CHECK-NEXT: stablehlo.transpose
func.func public @gradient(%g: tensor<8x32xf32>, %x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
  %2 = stablehlo.subtract %w, %1 : tensor<16x32xf32>
  return %2 : tensor<16x32xf32>
}

// -----

// Rows of a few elements are not worth that.
// CHECK-LABEL: func.func public @narrow
// CHECK: func.func private @stage.0
// CHECK: stablehlo.dot_general
// CHECK-NEXT: return
func.func public @narrow(%g: tensor<8x4xf32>, %x: tensor<8x64xf32>) -> tensor<64x4xf32> {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x64xf32>) -> tensor<4x64xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x64xf32>) -> tensor<64x4xf32>
  return %1 : tensor<64x4xf32>
}

// -----

// A result of another shape is written by the stage that computes it; so is a sum that keeps its
// dimensions.
// CHECK-LABEL: func.func public @shapes
// CHECK-NEXT: %[[r:.*]]:2 = call @stage.0(%arg0)
// CHECK-NEXT: return %[[r]]#0, %[[r]]#1
// CHECK: func.func private @stage.0
// CHECK-SAME: -> (tensor<32xf32>, tensor<4x1xf32>)
// CHECK-NOT: func.func private @stage.1
func.func public @shapes(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<4x1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
  %3 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.divide %0, %3 : tensor<4x8xf32>
  %5 = stablehlo.reshape %4 : (tensor<4x8xf32>) -> tensor<32xf32>
  return %5, %2 : tensor<32xf32>, tensor<4x1xf32>
}

// -----

// What is read in two orders is computed where it is read, if that is an op or two; but for what
// such rests on, and what takes long: of a chain each op would be computed twice as often for each
// behind it.
// CHECK-LABEL: func.func @orders
// CHECK: func.func private @stage.0
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: return
// CHECK: func.func private @stage.1
// CHECK: stablehlo.add
// CHECK: stablehlo.subtract
// CHECK: %[[LONG:.*]] = stablehlo.tanh
// CHECK-NEXT: return %[[LONG]]
// CHECK: func.func private @stage.2
// CHECK: stablehlo.reverse
// CHECK: stablehlo.subtract
func.func @orders(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.negate %x : tensor<4096xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<4096xf32>
  %2 = stablehlo.add %0, %1 : tensor<4096xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<4096xf32>
  %4 = stablehlo.subtract %2, %3 : tensor<4096xf32>
  %5 = stablehlo.tanh %4 : tensor<4096xf32>
  %6 = stablehlo.reverse %5, dims = [0] : tensor<4096xf32>
  %7 = stablehlo.subtract %5, %6 : tensor<4096xf32>
  return %7 : tensor<4096xf32>
}

// -----

// What an argument is, as another shape, is no order of what moves.
// CHECK-LABEL: func.func @shapes
// CHECK-NEXT: call @stage.0
// CHECK-NEXT: return
func.func @shapes(%x: tensor<64x64xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.negate %y : tensor<4096xf32>
  %1 = stablehlo.reshape %x : (tensor<64x64xf32>) -> tensor<4096xf32>
  %2 = stablehlo.reverse %0, dims = [0] : tensor<4096xf32>
  %3 = stablehlo.add %1, %2 : tensor<4096xf32>
  %4 = stablehlo.add %3, %0 : tensor<4096xf32>
  return %4 : tensor<4096xf32>
}
