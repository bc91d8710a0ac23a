// A loop asks before each iteration whether it is to end, and calls the host only then.
// RUN: %shlo-opt %s --shlo-attach-frame | FileCheck %s

// The word to poll is the frame's seventh; callbacks are a table in its tenth.
// CHECK-LABEL: @loop(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK: scf.while
// CHECK: %[[MORE:.*]] = memref.load
// CHECK: %[[WHERE:.*]] = llvm.getelementptr %[[FRAME]][48]
// CHECK-NEXT: %[[WORD:.*]] = llvm.load volatile %[[WHERE]]
// CHECK: %[[QUIET:.*]] = llvm.icmp "eq" %[[WORD]]
// CHECK: %[[GO:.*]] = scf.if %[[QUIET]] -> (i1)
// CHECK-NOT: llvm.call
// CHECK: else
// CHECK: llvm.getelementptr %[[FRAME]][72]
// CHECK: %[[ANSWER:.*]] = llvm.call %{{.*}}(%[[FRAME]]) : !llvm.ptr, (!llvm.ptr) -> i64
// CHECK: llvm.icmp "eq" %[[ANSWER]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[MORE]], %[[GO]]
// CHECK-NEXT: scf.condition(%[[BOTH]])
// CHECK: llvm.getelementptr %[[FRAME]][8]
// CHECK: cf.assert %{{.*}}, "" {shlo.propagate}
// CHECK-NEXT: return
func.func @loop(%p: memref<i1>) {
  scf.while : () -> () {
    %0 = memref.load %p[] : memref<i1>
    scf.condition(%0)
  } do {
    scf.yield
  }
  return
}
