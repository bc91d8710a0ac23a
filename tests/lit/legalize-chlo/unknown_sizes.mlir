// Where sizes are known at run time only, mathematics is applied element by element.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @function
// CHECK: "stablehlo.map"(%arg0)
// CHECK-SAME: dimensions = array<i64: 0, 1>
// CHECK: ^bb0(%[[X:.*]]: tensor<f32>):
// CHECK: stablehlo.tan %[[X]] : tensor<f32>
// CHECK: stablehlo.return
// CHECK: (tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @function(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = chlo.tan %x : tensor<?x3xf32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// A dimension takes the size that is not 1; dynamic_broadcast_in_dim checks that the other is.
// CHECK-LABEL: @broadcast
// CHECK: %[[ROWS:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[ROWS]]
// CHECK: %[[MINE:.*]] = stablehlo.get_dimension_size %arg0, dim = 1
// CHECK: %[[A:.*]] = stablehlo.reshape %[[MINE]]
// CHECK: %[[THEIRS:.*]] = stablehlo.get_dimension_size %arg1, dim = 0
// CHECK: %[[B:.*]] = stablehlo.reshape %[[THEIRS]]
// CHECK: %[[IS_ONE:.*]] = stablehlo.compare EQ, %[[A]]
// CHECK: %[[COLUMN:.*]] = stablehlo.select %[[IS_ONE]], %[[B]], %[[A]]
// CHECK: %[[SHAPE:.*]] = stablehlo.concatenate %[[ROW]], %[[COLUMN]], dim = 0
// CHECK: %[[LEFT:.*]] = stablehlo.dynamic_broadcast_in_dim %arg0, %[[SHAPE]], dims = [0, 1]
// CHECK: %[[RIGHT:.*]] = stablehlo.dynamic_broadcast_in_dim %arg1, %[[SHAPE]], dims = [1]
// CHECK: stablehlo.add %[[LEFT]], %[[RIGHT]]
func.func @broadcast(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: @best
// CHECK: stablehlo.dynamic_iota
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.real_dynamic_slice
func.func @best(%x: tensor<?x?xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<?x?xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  return %0#0, %0#1 : tensor<?x2xf32>, tensor<?x2xi32>
}
