// A declared host kernel gets a body: a call of the host with a table of its buffers.
// RUN: %shlo-opt %s --shlo-implement-kernels | FileCheck %s

// CHECK: module attributes {shlo.host_calls = [{config = {n = 1 : i64}, kind = "host",
// CHECK-SAME: target = "mine"}]
// CHECK-LABEL: func.func private @shlo.host.0(
// CHECK-SAME: %[[OUT:.*]]: memref<4xf32>{{.*}}, %[[IN:.*]]: memref<2xi8>{{.*}})
// CHECK: memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: %[[WRITTEN:.*]] = llvm.inttoptr
// CHECK: memref.extract_aligned_pointer_as_index %[[IN]]
// CHECK: %[[READ:.*]] = llvm.inttoptr
// CHECK: %[[TABLE:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.store %[[WRITTEN]], %[[TABLE]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[TABLE]][8]
// CHECK: llvm.store %[[READ]], %[[SECOND]]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: call @shlo.call_host(%[[NUMBER]], %[[TABLE]])
// CHECK-NEXT: return %[[OUT]]
func.func private @shlo.host.0(memref<4xf32>, memref<2xi8>) -> memref<4xf32>
  attributes {shlo.kernel = {kind = "host", target = "mine", config = {n = 1 : i64}}}

// Loops that nothing faster is known for stay.
// CHECK-LABEL: func.func private @shlo.scatter.1(
// CHECK-NEXT: return %arg0
func.func private @shlo.scatter.1(%a: memref<4xf32>) -> memref<4xf32>
    attributes {shlo.kernel = {kind = "scatter"}} {
  return %a : memref<4xf32>
}
