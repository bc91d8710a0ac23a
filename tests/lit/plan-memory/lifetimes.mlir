// Buffers that are never in use together share bytes; others lie apart, 64 bytes aligned but for numbers.
// RUN: %shlo-opt %s --shlo-plan-memory | FileCheck %s

// The arena is the frame's eighth word.
// CHECK-LABEL: func.func private @one_after_another(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK-SAME: shlo.arena = 64 : i64
// CHECK: llvm.getelementptr %[[FRAME]][56]
// CHECK-NEXT: %[[BASE:.*]] = llvm.load
// CHECK-NOT: memref.alloc
// CHECK-COUNT-2: llvm.insertvalue %[[BASE]], %{{.*}}[1]
func.func private @one_after_another(%frame: !llvm.ptr, %a: memref<8xf32>) {
  %0 = memref.alloc() : memref<8xf32>
  memref.copy %a, %0 : memref<8xf32> to memref<8xf32>
  %1 = memref.alloc() : memref<16xf32>
  %v = memref.subview %1[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  memref.copy %a, %v : memref<8xf32> to memref<8xf32, strided<[1]>>
  return
}

// CHECK-LABEL: func.func private @together(
// CHECK-SAME: shlo.arena = 128 : i64
// CHECK: llvm.insertvalue %[[BASE:.*]], %{{.*}}[1]
// CHECK: llvm.getelementptr %[[BASE]][64]
func.func private @together(%frame: !llvm.ptr) {
  %0 = memref.alloc() : memref<8xf32>
  %1 = memref.alloc() : memref<8xf32>
  memref.copy %0, %1 : memref<8xf32> to memref<8xf32>
  return
}

// The use of a view is a use of its buffer.
// CHECK-LABEL: func.func private @view(
// CHECK-SAME: shlo.arena = 128 : i64
func.func private @view(%frame: !llvm.ptr, %a: memref<8xf32>) {
  %0 = memref.alloc() : memref<2x4xf32>
  %v = memref.collapse_shape %0 [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %1 = memref.alloc() : memref<8xf32>
  memref.copy %a, %1 : memref<8xf32> to memref<8xf32>
  memref.copy %a, %v : memref<8xf32> to memref<8xf32>
  return
}

// Numbers stand side by side.
// CHECK-LABEL: func.func private @numbers(
// CHECK-SAME: shlo.arena = 64 : i64
// CHECK: llvm.insertvalue %[[BASE:.*]], %{{.*}}[1]
// CHECK: llvm.getelementptr %[[BASE]][16]
func.func private @numbers(%frame: !llvm.ptr) {
  %0 = memref.alloc() : memref<f32>
  %1 = memref.alloc() : memref<f32>
  memref.copy %0, %1 : memref<f32> to memref<f32>
  return
}
