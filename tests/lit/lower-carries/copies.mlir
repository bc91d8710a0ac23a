// New values get into place as if at once: no copy overwrites what another one still reads.
// RUN: %shlo-opt %s --shlo-lower-carries | FileCheck %s

// CHECK-LABEL: @swapped
// CHECK: %[[T0:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %arg1, %[[T0]]
// CHECK: %[[T1:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %arg0, %[[T1]]
// CHECK-NEXT: memref.copy %[[T0]], %arg0
// CHECK-NEXT: memref.copy %[[T1]], %arg1
// CHECK-NEXT: return
func.func @swapped(%a: memref<4xf32>, %b: memref<4xf32>) {
  call @shlo.carry.0(%b, %a, %a, %b) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// Updated where it is: nothing to copy. Memory of its own: one copy.
// CHECK-LABEL: @in_place_and_apart
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[NEW]], %arg1
// CHECK-NEXT: return
func.func @in_place_and_apart(%a: memref<4xf32>, %b: memref<4xf32>) {
  %new = memref.alloc() : memref<4xf32>
  call @shlo.carry.0(%a, %new, %a, %b) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-NOT: @shlo.carry
func.func private @shlo.carry.0(memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>)
  attributes {shlo.carry}

// A place is the same through a cast.
// CHECK-LABEL: @seen_through_casts
// CHECK: memref.copy %arg0, %[[X:[^ ]*]] :
// CHECK: memref.copy %[[A:[^ ]*]], %[[OLD:[^ ]*]] :
// CHECK-NEXT: memref.copy %[[X]], %[[A]] :
// CHECK-NEXT: memref.copy %[[OLD]], %
// CHECK-NEXT: return
func.func @seen_through_casts(%x: memref<?xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %in_a = memref.cast %a : memref<4xf32> to memref<?xf32>
  %in_b = memref.cast %b : memref<4xf32> to memref<?xf32>
  call @shlo.carry.1(%x, %in_a, %in_a, %in_b)
    : (memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @shlo.carry.1(memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
  attributes {shlo.carry}
