// Reshapes, transposes, broadcasts, reversals and counting.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @reshape
// CHECK-NEXT: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: return %arg0, %[[A]], %[[B]]
func.func @reshape(%x: tensor<2x6xf32>, %s: tensor<f32>) -> (tensor<2x6xf32>, tensor<4x3xf32>, tensor<6xf32>) {
  %a = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %0 = stablehlo.reshape %a : (tensor<12xf32>) -> tensor<2x6xf32>
  %1 = stablehlo.reshape %a : (tensor<12xf32>) -> tensor<4x3xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %2 = stablehlo.reshape %b : (tensor<2x3xf32>) -> tensor<6xf32>
  return %0, %1, %2 : tensor<2x6xf32>, tensor<4x3xf32>, tensor<6xf32>
}

// Dimension d of the first transpose is dimension [1, 2, 0][d] of x; the second one takes 1, 2, 0
// of those, which are 2, 0, 1.
// CHECK-LABEL: @transpose
// CHECK-NEXT: %[[A:.*]] = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.reshape %arg1 : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT: return %arg0, %[[A]], %[[B]]
func.func @transpose(%x: tensor<2x3x4xf32>, %y: tensor<2x1x3xf32>)
    -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>) {
  %a = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
  return %0, %1, %2 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>
}

// CHECK-LABEL: @in_order
// CHECK-NEXT: return %arg0
func.func @in_order(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @broadcast
// CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<3xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.transpose %arg1, dims = [1, 0]
// CHECK-NEXT: %[[D:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: %[[E:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: %[[F:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %arg0, %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
func.func @broadcast(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<4x2x3xf32>,
    tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x5xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
  %3 = stablehlo.broadcast_in_dim %y, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %5 = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<3x2xf32>) -> tensor<3x2x5xf32>
  %r = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<1x3x1xf32>
  %flat = stablehlo.reshape %r : (tensor<1x3x1xf32>) -> tensor<1x3xf32>
  %6 = stablehlo.broadcast_in_dim %flat, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xf32>, tensor<4x2x3xf32>, tensor<1x3xf32>,
    tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x5xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @reverse
// CHECK-NEXT: %[[A:.*]] = stablehlo.reverse %arg0, dims = [0] : tensor<2x1x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.reverse %arg0, dims = [2] : tensor<2x1x3xf32>
// CHECK-NEXT: return %arg0, %[[A]], %[[B]]
func.func @reverse(%x: tensor<2x1x3xf32>) -> (tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<2x1x3xf32>
  %1 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x1x3xf32>
  %a = stablehlo.reverse %x, dims = [0, 2] : tensor<2x1x3xf32>
  %2 = stablehlo.reverse %a, dims = [0] : tensor<2x1x3xf32>
  return %0, %1, %2 : tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>
}

// CHECK-LABEL: @iota
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<3x1xi32>
// CHECK-DAG: %[[ROW:.*]] = stablehlo.iota dim = 0 : tensor<3xi32>
// CHECK-DAG: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[ROW]], dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
// CHECK: return %[[ZERO]], %[[WIDE]]
func.func @iota() -> (tensor<3x1xi32>, tensor<2x3xi32>) {
  %0 = stablehlo.iota dim = 1 : tensor<3x1xi32>
  %1 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return %0, %1 : tensor<3x1xi32>, tensor<2x3xi32>
}

// What is computed of repeated elements is computed once.
// CHECK-LABEL: @before_broadcast
// CHECK-NEXT: %[[A:.*]] = stablehlo.exponential %arg0 : tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %[[A]], dims = [1]
// CHECK-NEXT: %[[C:.*]] = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
// CHECK-NEXT: %[[D:.*]] = stablehlo.broadcast_in_dim %[[C]], dims = [1] : (tensor<3xi1>) -> tensor<2x3xi1>
// CHECK-NEXT: return %[[B]], %[[D]]
func.func @before_broadcast(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.exponential %a : tensor<2x3xf32>
  %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>
}
