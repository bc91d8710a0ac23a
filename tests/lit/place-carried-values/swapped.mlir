// All new values are placed by one call; a condition that changes what it passes stays as it is.
// RUN: %shlo-opt %s --shlo-place-carried-values | FileCheck %s

// CHECK-LABEL: @swapped
// CHECK-DAG: bufferization.materialize_in_destination %arg1 in restrict writable %[[A:.*]] :
// CHECK-DAG: bufferization.materialize_in_destination %arg2 in restrict writable %[[B:.*]] :
// CHECK: do
// CHECK-DAG: %[[OLD_A:.*]] = bufferization.to_tensor %[[A]]
// CHECK-DAG: %[[OLD_B:.*]] = bufferization.to_tensor %[[B]]
// CHECK-DAG: %[[NEW_A:.*]] = bufferization.to_buffer %[[OLD_B]]
// CHECK-DAG: %[[NEW_B:.*]] = bufferization.to_buffer %[[OLD_A]]
// CHECK: call @shlo.carry.0(%[[NEW_A]], %[[NEW_B]], %[[A]], %[[B]])
func.func @swapped(%p: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// CHECK-LABEL: @changed
// CHECK: scf.while (%{{[^)]*}}) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: call @shlo.carry
// CHECK: return
func.func @changed(%p: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %b, %a : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}
