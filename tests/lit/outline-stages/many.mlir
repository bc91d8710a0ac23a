// Eight loop nests or more become functions, equal ones the same; small nests and few stay.
// RUN: %shlo-opt %s --split-input-file --shlo-outline-stages | FileCheck %s

// CHECK-LABEL: @many
// CHECK: %[[TABLE:.*]] = llvm.alloca
// CHECK-COUNT-7: call @shlo.stage.0(%{{.*}}, %[[TABLE]])
// CHECK: call @shlo.stage.1(%{{.*}}, %[[TABLE]])
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : memref<4xf32>)
func.func @many(%frame: !llvm.ptr, %x: f32, %a: memref<32xf32>, %b: memref<64xf32>, %c: memref<4xf32>) {
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  linalg.fill ins(%x : f32) outs(%c : memref<4xf32>)
  return
}

// CHECK-LABEL: @few
// CHECK-NOT: call
// CHECK: linalg.fill
// CHECK: return
func.func @few(%frame: !llvm.ptr, %x: f32, %a: memref<32xf32>) {
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  return
}

// CHECK: func.func private @shlo.stage.0(%{{.*}}: !llvm.ptr, %[[VALUES:.*]]: !llvm.ptr)
// CHECK-SAME: no_inline
// CHECK: linalg.fill {{.*}} memref<32xf32>
// CHECK: func.func private @shlo.stage.1(
// CHECK: linalg.fill {{.*}} memref<64xf32>
// CHECK-NOT: @shlo.stage.2

// -----

// A constant is known inside: LLVM folds what is computed of it.
// CHECK-LABEL: @constants
// CHECK: func.func private @shlo.stage.0(
// CHECK: %[[SEVEN:.*]] = arith.constant 7
// CHECK: linalg.fill ins(%[[SEVEN]] : i32)
func.func @constants(%frame: !llvm.ptr, %a: memref<32xi32>) {
  %seven = arith.constant 7 : i32
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  linalg.fill ins(%seven : i32) outs(%a : memref<32xi32>)
  return
}

// -----

// A buffer of unknown sizes comes with them, and with strides that do not follow from them; a place
// in a larger buffer becomes an address.
// CHECK-LABEL: @unknown
// CHECK: %[[TABLE:.*]] = llvm.alloca
// CHECK-COUNT-4: call @shlo.stage.0(%{{.*}}, %[[TABLE]])
// CHECK-COUNT-4: call @shlo.stage.1(%{{.*}}, %[[TABLE]])
// CHECK: func.func private @shlo.stage.0(%{{.*}}: !llvm.ptr, %[[VALUES:.*]]: !llvm.ptr)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[VALUES]][16]
// CHECK: %[[ROWS:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i64
// CHECK: llvm.insertvalue %[[ROWS]], %{{.*}}[3, 0]
// CHECK: linalg.fill {{.*}} : memref<?x4xf32>)
// CHECK: func.func private @shlo.stage.1(%{{.*}}: !llvm.ptr, %[[VALUES:.*]]: !llvm.ptr)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[VALUES]][24]
// CHECK: %[[STEP:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i64
// CHECK: llvm.insertvalue %[[STEP]], %{{.*}}[4, 0]
// CHECK: linalg.fill {{.*}} : memref<?x4xf32, strided<[?, 1]>>)
func.func @unknown(%frame: !llvm.ptr, %x: f32, %a: memref<?x4xf32>, %b: memref<?x4xf32, strided<[?, 1], offset: ?>>) {
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32, strided<[?, 1], offset: ?>>)
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32, strided<[?, 1], offset: ?>>)
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32, strided<[?, 1], offset: ?>>)
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32, strided<[?, 1], offset: ?>>)
  return
}
