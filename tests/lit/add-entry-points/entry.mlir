// A public function is called through two pointers; what the host must know stands on the entry.
// RUN: %shlo-opt %s --shlo-add-entry-points | FileCheck %s

// CHECK-LABEL: func.func @shlo.entry.main(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr, %[[ARGV:.*]]: !llvm.ptr)
// CHECK-SAME: shlo.entry = {arena = 64 : i64, signature = (tensor<2x3xui8>) -> tensor<f32>, version = 5 : i64}
// CHECK: llvm.load %[[ARGV]] :
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<2x3xi8>
// CHECK: llvm.getelementptr %[[ARGV]][8]
// CHECK: %[[OUT:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<f32>
// CHECK: memref.store %{{.*}}, %[[OUT]]
// CHECK-NEXT: return
// CHECK-NOT: @main(
func.func @main(%frame: !llvm.ptr, %a: memref<2x3xi8>, %out: memref<f32>) attributes {
    shlo.arena = 64 : i64, shlo.signature = (tensor<2x3xui8>) -> tensor<f32>} {
  %0 = arith.constant 1.0 : f32
  memref.store %0, %out[] : memref<f32>
  return
}

// CHECK-NOT: @shlo.entry.inner
func.func private @inner(%frame: !llvm.ptr) attributes {shlo.arena = 0 : i64} {
  return
}

// What others call stays a function.
// CHECK-LABEL: func.func @shlo.entry.both(
// CHECK: call @both(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK-NEXT: return
// CHECK: func.func private @both(
func.func @both(%frame: !llvm.ptr) attributes {shlo.arena = 0 : i64, shlo.signature = () -> ()} {
  return
}
func.func private @caller(%frame: !llvm.ptr) attributes {shlo.arena = 0 : i64} {
  call @both(%frame) : (!llvm.ptr) -> ()
  return
}
