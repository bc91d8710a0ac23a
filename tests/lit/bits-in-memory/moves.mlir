// RUN: %shlo-opt %s --shlo-bits-in-memory | FileCheck %s

// CHECK-LABEL: llvm.func @move
// CHECK: %[[BITS:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: %[[VALUE:.*]] = llvm.bitcast %[[BITS]] : i16 to bf16
// CHECK: %[[AGAIN:.*]] = llvm.bitcast %[[VALUE]] : bf16 to i16
// CHECK: llvm.store %[[AGAIN]], %{{.*}} : i16, !llvm.ptr
llvm.func @move(%from: !llvm.ptr, %to: !llvm.ptr) {
  %0 = llvm.load %from {alignment = 2 : i64} : !llvm.ptr -> bf16
  llvm.store %0, %to : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @others
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.bitcast %{{.*}} : i16 to f16
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
llvm.func @others(%from: !llvm.ptr) -> f16 {
  %0 = llvm.load %from : !llvm.ptr -> f32
  %1 = llvm.load %from : !llvm.ptr -> f16
  llvm.store %0, %from : f32, !llvm.ptr
  llvm.return %1 : f16
}

// CHECK-LABEL: llvm.func @choose
// CHECK: %[[FIRST:.*]] = llvm.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[SECOND:.*]] = llvm.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[FIRST]], %[[SECOND]] : i1, i16
// CHECK: llvm.bitcast %[[CHOSEN]] : i16 to bf16
// CHECK: llvm.select %{{.*}} : i1, f32
llvm.func @choose(%a: bf16, %b: bf16, %c: f32, %d: f32) -> bf16 {
  %p = llvm.fcmp "oge" %a, %b : bf16
  %0 = llvm.select %p, %a, %b : i1, bf16
  %1 = llvm.select %p, %c, %d : i1, f32
  llvm.return %0 : bf16
}
