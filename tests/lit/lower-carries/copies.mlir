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
