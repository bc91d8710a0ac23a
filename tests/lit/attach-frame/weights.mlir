// Constants that the host keeps are read from the frame's table; callbacks go through it, too.
// RUN: %shlo-opt %s --shlo-attach-frame | FileCheck %s

// CHECK-NOT: @weight
// CHECK-NOT: func.func private @shlo.call_host
// CHECK: memref.global "private" constant @other
// CHECK-LABEL: @main(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK: %[[WHERE:.*]] = llvm.getelementptr %[[FRAME]][112]
// CHECK: %[[TABLE:.*]] = llvm.load %[[WHERE]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][16]
// CHECK: llvm.load %[[ENTRY]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[WEIGHT:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<2x4xf32>
// CHECK: %[[OTHER:.*]] = memref.get_global @other
// CHECK: memref.copy %[[WEIGHT]], %[[OTHER]]
// CHECK: llvm.getelementptr %[[FRAME]][72]
// CHECK: llvm.getelementptr %{{.*}}[8]
// CHECK: llvm.call %{{.*}}(%[[FRAME]], %{{.*}}, %arg1) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> i64
// CHECK: cf.assert %{{.*}}, "" {shlo.propagate}
memref.global "private" constant @weight : memref<2x4xf32> = uninitialized {shlo.weight = 2 : i64}
memref.global "private" constant @other : memref<2x4xf32> = dense<1.0>
func.func private @shlo.call_host(i64, !llvm.ptr)
func.func @main(%table: !llvm.ptr) {
  %0 = memref.get_global @weight : memref<2x4xf32>
  %1 = memref.get_global @other : memref<2x4xf32>
  memref.copy %0, %1 : memref<2x4xf32> to memref<2x4xf32>
  %2 = llvm.mlir.constant(0 : i64) : i64
  call @shlo.call_host(%2, %table) : (i64, !llvm.ptr) -> ()
  return
}
