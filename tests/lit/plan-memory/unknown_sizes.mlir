// A buffer of unknown size is taken from behind the cursor of the arena, if it fits; a loop gives
// back what an iteration took.

// RUN: %shlo-opt --shlo-plan-memory %s | FileCheck %s

// CHECK: func.func @loop(%[[FRAME:.*]]: !llvm.ptr, %[[N:.*]]: index) attributes {
// CHECK-SAME: shlo.grows
// CHECK: scf.for
// CHECK: %[[MARK:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: "llvm.intr.umul.with.overflow"(%{{.*}}, %[[SIZE]])
// CHECK: cf.assert %{{.*}}, "memory does not suffice"
// CHECK: llvm.store %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: memref.store
// CHECK: llvm.store %[[MARK]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK-NEXT: }
// CHECK-NOT: memref.alloc
func.func @loop(%frame: !llvm.ptr, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc(%n) : memref<?xf32>
    memref.store %one, %t[%i] : memref<?xf32>
  }
  return
}
