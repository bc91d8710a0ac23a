// What only tells loops their bounds has no place.
// RUN: %shlo-opt --shlo-plan-memory %s | FileCheck %s

// CHECK: shlo.arena = 0 : i64
// CHECK: memref<1000000000x3xf64>
// CHECK: linalg.generic
func.func @main(%frame: !llvm.ptr, %x: memref<?xf64>, %sum: memref<f64>) {
  %window = memref.alloc() : memref<1000000000x3xf64>
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%x, %window : memref<?xf64>, memref<1000000000x3xf64>) outs(%sum : memref<f64>) {
  ^bb0(%in: f64, %never: f64, %out: f64):
    %0 = arith.addf %in, %out : f64
    linalg.yield %0 : f64
  }
  return
}
