// What stays carried may stand in a buffer that gets its new value: it is copied before.
// RUN: %shlo-opt %s --shlo-place-carried-values | FileCheck %s

// CHECK-LABEL: @grows
// CHECK: do
// CHECK: %[[OLD:.*]] = bufferization.to_tensor
// CHECK: %[[CAST:.*]] = tensor.cast %[[OLD]]
// CHECK: %[[KEPT:.*]] = bufferization.alloc_tensor() copy(%[[CAST]])
// CHECK-NEXT: call @shlo.carry
// CHECK-NEXT: scf.yield %[[KEPT]]
func.func @grows(%p: i1, %x: tensor<4xf32>, %y: tensor<?xf32>, %z: tensor<4xf32>) -> tensor<?xf32> {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
    scf.condition(%p) %a, %b : tensor<4xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<?xf32>):
    %old = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    scf.yield %z, %old : tensor<4xf32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
