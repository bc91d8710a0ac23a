// Tensors that a loop carries live in one buffer each; other values stay carried.
// RUN: %shlo-opt %s --shlo-place-carried-values | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[PLACE:.*]] = memref.alloc() : memref<4xf32>
// CHECK: bufferization.materialize_in_destination %arg1 in restrict writable %[[PLACE]]
// CHECK: scf.while (%[[I:.*]] = %arg0) : (index) -> index
// CHECK: scf.condition(%{{.*}}) %[[I]] : index
// CHECK: ^bb0(%[[J:.*]]: index):
// CHECK: %[[OLD:.*]] = bufferization.to_tensor %[[PLACE]] restrict writable
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK: %[[NEW:.*]] = tensor.insert %{{.*}} into %[[OLD]][%[[J]]]
// CHECK: %[[BUFFER:.*]] = bufferization.to_buffer %[[NEW]] read_only
// CHECK: call @shlo.carry.0(%[[BUFFER]], %[[PLACE]])
// CHECK-NEXT: scf.yield %[[NEXT]] : index
// CHECK: %[[RESULT:.*]] = bufferization.to_tensor %[[PLACE]]
// CHECK: return %[[RESULT]]
func.func @main(%i: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 0.0 : f32
  %0:2 = scf.while (%a = %i, %b = %x) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %1 = arith.cmpi ult, %a, %c4 : index
    scf.condition(%1) %a, %b : index, tensor<4xf32>
  } do {
  ^bb0(%a: index, %b: tensor<4xf32>):
    %1 = arith.addi %a, %c1 : index
    %2 = tensor.insert %v into %b[%a] : tensor<4xf32>
    scf.yield %1, %2 : index, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK: func.func private @shlo.carry.0(memref<4xf32>, memref<4xf32>) attributes {shlo.carry}
