// A buffer from outside a loop is in use until the loop ends; callees get what lies behind.
// RUN: %shlo-opt %s --shlo-plan-memory | FileCheck %s

// The next iteration reads what this one left: the buffer made after its last use lies apart.
// CHECK-LABEL: func.func private @loop(
// CHECK-SAME: shlo.arena = 128 : i64
// CHECK: llvm.insertvalue %[[BASE:.*]], %{{.*}}[1]
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[BASE]][64]
func.func private @loop(%frame: !llvm.ptr, %a: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() : memref<8xf32>
  memref.copy %a, %0 : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %0, %a : memref<8xf32> to memref<8xf32>
    %1 = memref.alloc() : memref<8xf32>
    memref.copy %a, %1 : memref<8xf32> to memref<8xf32>
  }
  return
}

// Its own 64 bytes, then the callee's 128; the cursor is where it was when the function returns.
// CHECK-LABEL: func.func private @calls(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK-SAME: shlo.arena = 192 : i64
// CHECK: %[[BASE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[BEHIND:.*]] = llvm.getelementptr %[[BASE]][64]
// CHECK: %[[CURSOR:.*]] = llvm.getelementptr %[[FRAME]][56]
// CHECK-NEXT: llvm.store %[[BEHIND]], %[[CURSOR]]
// CHECK: call @loop
// CHECK: llvm.getelementptr %[[FRAME]][56]
// CHECK-NEXT: llvm.store %[[BASE]],
// CHECK-NEXT: return
func.func private @calls(%frame: !llvm.ptr, %n: index) {
  %0 = memref.alloc() : memref<8xf32>
  call @loop(%frame, %0, %n) : (!llvm.ptr, memref<8xf32>, index) -> ()
  return
}
