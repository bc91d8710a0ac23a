// A buffer whose strides only run time knows is copied for who takes it row-major; others are cast.
// RUN: %shlo-opt %s --shlo-pack-operands | FileCheck %s

func.func private @takes(memref<?x?xf32>)

// CHECK-LABEL: @unknown
// CHECK: %[[VIEW:.*]] = memref.subview
// CHECK: %[[PACKED:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK-NEXT: memref.copy %[[VIEW]], %[[PACKED]]
// CHECK-NEXT: %[[CAST:.*]] = memref.cast %[[PACKED]]
// CHECK: call @takes(%[[CAST]])
func.func @unknown(%x: memref<?x?xf32>, %n: index, %m: index) {
  %view = memref.subview %x[0, 0] [%n, %m] [2, 1]
    : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %cast = memref.cast %view : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  call @takes(%cast) : (memref<?x?xf32>) -> ()
  return
}

// CHECK-LABEL: @known
// CHECK-NOT: memref.copy
// CHECK: return
func.func @known(%x: memref<4x8xf32, strided<[8, 1]>>, %y: memref<4x8xf32>) {
  %a = memref.cast %x : memref<4x8xf32, strided<[8, 1]>> to memref<?x?xf32>
  call @takes(%a) : (memref<?x?xf32>) -> ()
  %b = memref.cast %y : memref<4x8xf32> to memref<?x?xf32>
  call @takes(%b) : (memref<?x?xf32>) -> ()
  return
}
