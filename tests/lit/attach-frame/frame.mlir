// Every function takes the frame first; a caller leaves where its callee failed.
// RUN: %shlo-opt %s --shlo-attach-frame | FileCheck %s

// The status is the frame's second word.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr, %[[A:.*]]: memref<4xf32>)
// CHECK-NEXT: call @callee(%[[FRAME]], %[[A]])
// CHECK-NEXT: %[[WHERE:.*]] = llvm.getelementptr %[[FRAME]][8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: %[[STATUS:.*]] = llvm.load volatile %[[WHERE]]
// CHECK: %[[FINE:.*]] = llvm.icmp "eq" %[[STATUS]]
// CHECK-NEXT: cf.assert %[[FINE]], "" {shlo.propagate}
// CHECK-NEXT: return
func.func @calls(%a: memref<4xf32>) {
  call @callee(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @callee(%{{.*}}: !llvm.ptr, %{{.*}}: memref<4xf32>
// CHECK-SAME: {my.note}
func.func private @callee(%a: memref<4xf32> {my.note}) {
  return
}
