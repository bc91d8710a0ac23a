// Loops whose rounds each write elsewhere are not unrolled.
// RUN: %shlo-opt %s --shlo-annotate-loops | FileCheck %s

// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[KEPT:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>

// CHECK-LABEL: @rows
// CHECK: scf.for %{{.*}} = %c0 to %c16
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK: } {llvm.loop_annotation = #[[KEPT]]}
// CHECK: } {llvm.loop_annotation = #[[KEPT]]}
func.func @rows(%a: memref<16x8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %x, %a[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

// A few rounds are not unrolled, either, in loops of unknown length.
// CHECK-LABEL: @few
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: } {llvm.loop_annotation = #[[KEPT]]}
// CHECK: }
// CHECK-NOT: llvm.loop_annotation
// CHECK: return
func.func @few(%a: memref<?x3xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      memref.store %x, %a[%i, %j] : memref<?x3xf32>
    }
  }
  return
}

// Unrolling a sum makes the loop around it the innermost one; a few rounds are cheap to unroll;
// a loop of unknown length is none that LLVM unrolls whole.
// CHECK-LABEL: @others
// CHECK-NOT: llvm.loop_annotation
// CHECK: return
func.func @others(%a: memref<16xf32>, %b: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %0 = memref.load %a[%i] : memref<16xf32>
      %1 = memref.load %b[%i, %j] : memref<16x16xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %a[%i] : memref<16xf32>
    }
  }
  %x = memref.load %a[%c0] : memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %a[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<16xf32>
  }
  return
}
