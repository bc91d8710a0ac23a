// A copy with strides is a loop; a contiguous one stays, to become a memcpy.
// RUN: %shlo-opt %s --shlo-expand-copies | FileCheck %s

// CHECK: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @strided
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[SAME]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: ins(%arg0 : memref<2x3xf32, strided<[8, 1], offset: 1>>) outs(%arg1 : memref<2x3xf32>)
// CHECK-NEXT: ^bb0(%[[FROM:.*]]: f32, %{{.*}}: f32)
// CHECK-NEXT: linalg.yield %[[FROM]]
func.func @strided(%a: memref<2x3xf32, strided<[8, 1], offset: 1>>, %b: memref<2x3xf32>) {
  memref.copy %a, %b : memref<2x3xf32, strided<[8, 1], offset: 1>> to memref<2x3xf32>
  return
}

// Strides of the target are as good a reason; loops inside regions, too.
// CHECK-LABEL: @target
// CHECK: scf.if
// CHECK-NEXT: linalg.generic {{.*}} ins(%arg0 : memref<4xi8>) outs(%arg1 : memref<4xi8, strided<[2]>>)
func.func @target(%a: memref<4xi8>, %b: memref<4xi8, strided<[2]>>, %p: i1) {
  scf.if %p {
    memref.copy %a, %b : memref<4xi8> to memref<4xi8, strided<[2]>>
  }
  return
}

// CHECK-LABEL: @contiguous
// CHECK-NEXT: memref.copy %arg0, %arg1
func.func @contiguous(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
  memref.copy %a, %b : memref<2x3xf32> to memref<2x3xf32>
  return
}
