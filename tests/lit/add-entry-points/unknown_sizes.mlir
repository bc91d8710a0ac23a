// Unknown sizes of arguments follow the addresses in the table; results that are announced have
// an address there that the entry point leaves alone.

// RUN: %shlo-opt --shlo-add-entry-points %s | FileCheck %s

// CHECK: func.func @shlo.entry.main(%[[FRAME:.*]]: !llvm.ptr, %[[TABLE:.*]]: !llvm.ptr)
// CHECK-SAME: grows
// CHECK: llvm.store %[[TABLE]]
// CHECK: llvm.load %[[TABLE]]
// CHECK: llvm.getelementptr %[[TABLE]][24]
// CHECK: llvm.getelementptr %[[TABLE]][16]
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
// CHECK-NEXT: return
func.func @main(%frame: !llvm.ptr, %x: memref<?x4xf32>, %known: memref<4xf32>) attributes {
    shlo.announced = array<i64: 2, 0>, shlo.arena = 0 : i64, shlo.grows,
    shlo.signature = (tensor<?x4xf32>) -> (tensor<?xf32>, tensor<4xf32>)} {
  return
}
