// Loops over what lies in one piece in memory become one loop.
// RUN: %shlo-opt %s --split-input-file --shlo-merge-dimensions | FileCheck %s

// CHECK: #[[ONE:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: @whole
// CHECK: %[[A:.*]] = memref.collapse_shape %arg0 {{\[\[}}0, 1, 2]] : memref<?x3x4xf32> into memref<?xf32>
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0, 1, 2]] : memref<?x3x4xf32> into memref<?xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ONE]], #[[ONE]]], iterator_types = ["parallel"]}
// CHECK-SAME: ins(%[[A]] : memref<?xf32>) outs(%[[B]] : memref<?xf32>)
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @whole(%a: memref<?x3x4xf32>, %b: memref<?x3x4xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<?x3x4xf32>) outs(%b : memref<?x3x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// A gap between rows keeps them apart; within a row there is none.
// CHECK: #[[TWO:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @rows
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : memref<5x3x4xf32, strided<[20, 4, 1], offset: 7>> into memref<5x12xf32, strided<[20, 1], offset: 7>>
// CHECK: memref.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : memref<5x3x4xf32> into memref<5x12xf32>
// CHECK: linalg.generic {indexing_maps = [#[[TWO]], #[[TWO]]], iterator_types = ["parallel", "parallel"]}
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @rows(%a: memref<5x3x4xf32, strided<[20, 4, 1], offset: 7>>, %b: memref<5x3x4xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<5x3x4xf32, strided<[20, 4, 1], offset: 7>>) outs(%b : memref<5x3x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// A row's values that all rows share end what can be merged; a scalar does not.
// CHECK: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK: #[[LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @shared
// CHECK: memref.collapse_shape %arg2 {{\[\[}}0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[SCALAR]], #[[LAST]], #[[BOTH]]]
// CHECK-SAME: ins(%arg0, %arg1 : f32, memref<4xf32>)
func.func @shared(%s: f32, %a: memref<4xf32>, %b: memref<?x?x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %a : f32, memref<4xf32>) outs(%b : memref<?x?x4xf32>) {
  ^bb0(%f: f32, %x: f32, %y: f32):
    %0 = arith.mulf %f, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A sum over two dimensions is one over their product; what is summed and what is not stay apart.
// CHECK-LABEL: @sum
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : memref<?x3x4xf32> into memref<?x12xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : memref<?x12xf32>) outs(%arg1 : memref<?xf32>)
func.func @sum(%a: memref<?x3x4xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a : memref<?x3x4xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Dimensions whose counters are used stay, under their new numbers.
// CHECK-LABEL: @counted
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : memref<2x3x4xi32> into memref<6x4xi32>
// CHECK: linalg.index 1
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @counted(%b: memref<2x3x4xi32>) {
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%b : memref<2x3x4xi32>) {
  ^bb0(%y: i32):
    %0 = linalg.index 2 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  }
  return
}

// -----

// Transposed operands, windows and strides that run time tells are left alone.
// CHECK-LABEL: @apart
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @apart(%a: memref<4x3xf32>, %b: memref<3x4xf32>, %w: memref<6xf32>, %s: memref<?x4xf32, strided<[?, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x3xf32>) outs(%b : memref<3x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<6xf32>) outs(%b : memref<3x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%s : memref<?x4xf32, strided<[?, 1]>>) {
  ^bb0(%y: f32):
    linalg.yield %y : f32
  }
  return
}
