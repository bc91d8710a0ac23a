// A buffer that is returned twice is copied: two results are two arrays.
// RUN: %shlo-opt %s --shlo-separate-results | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[COPY]]
// CHECK-NOT: memref.copy
// CHECK: return %[[A]], %[[B]], %[[COPY]], %arg0, %arg0
func.func @main(%i: index) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>, index, index) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  return %a, %b, %a, %i, %i : memref<4xf32>, memref<4xf32>, memref<4xf32>, index, index
}
