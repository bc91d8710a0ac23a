// Arguments of public functions are read-only for bufferization, except donated ones.
// RUN: %shlo-opt %s --shlo-protect-arguments | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline="builtin.module(shlo-protect-arguments, \
// RUN:   one-shot-bufferize{bufferize-function-boundaries})" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// Nothing else that is said about an argument is lost; the types that the host sees are noted.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<4xf32> {bufferization.writable = false, my.note = 1 : i64}
// CHECK-SAME: tensor<4xf32> {bufferization.writable = true, shlo.donated}
// CHECK-SAME: shlo.signature = (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// BUFFERS-LABEL: func.func @main(
// BUFFERS-SAME: %[[A:[^:]*]]: memref
// BUFFERS-SAME: %[[B:[^:]*]]: memref
// BUFFERS: %[[COPY:.*]] = memref.alloc()
// BUFFERS-NEXT: memref.copy %[[A]], %[[COPY]]
// BUFFERS-NOT: memref.copy
// BUFFERS-DAG: memref.store %{{.*}}, %[[COPY]]
// BUFFERS-DAG: memref.store %{{.*}}, %[[B]]
func.func @main(%a: tensor<4xf32> {my.note = 1 : i64}, %b: tensor<4xf32> {shlo.donated})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %i = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %0 = tensor.insert %v into %a[%i] : tensor<4xf32>
  %1 = tensor.insert %v into %b[%i] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func private @inner(
// CHECK-NOT: bufferization.writable
// CHECK-NOT: shlo.signature
// CHECK: return
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
