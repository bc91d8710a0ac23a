// A long loop asks between chunks of its rounds whether it is to end, and calls the host only then.
// RUN: %shlo-opt %s --split-input-file --shlo-poll-loops | FileCheck %s

// The word to poll is the frame's seventh; callbacks are a table in its tenth.
// CHECK-LABEL: @chunks(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: %[[END:.*]] = arith.constant 100000000 : index
// CHECK: %[[STRIDE:.*]] = arith.constant [[COUNT:[0-9]+]] : index
// CHECK: scf.for %[[START:.*]] = %[[FIRST]] to %[[END]] step %[[STRIDE]] {
// CHECK-NEXT: %[[WHERE:.*]] = llvm.getelementptr %[[FRAME]][48]
// CHECK-NEXT: %[[WORD:.*]] = llvm.load volatile %[[WHERE]]
// CHECK: %[[QUIET:.*]] = llvm.icmp "eq" %[[WORD]]
// CHECK: %[[GO:.*]] = scf.if %[[QUIET]] -> (i1)
// CHECK-NOT: llvm.call
// CHECK: else
// CHECK: llvm.getelementptr %[[FRAME]][72]
// CHECK: %[[ANSWER:.*]] = llvm.call %{{.*}}(%[[FRAME]]) : !llvm.ptr, (!llvm.ptr) -> i64
// CHECK: llvm.icmp "eq" %[[ANSWER]]
// CHECK: cf.assert %[[GO]], "" {shlo.propagate}
// CHECK: %[[PAST:.*]] = arith.addi %[[START]], %[[STRIDE]]
// CHECK-NEXT: %[[STOP:.*]] = arith.minsi %[[PAST]], %[[END]]
// CHECK-NEXT: scf.for %[[I:.*]] = %[[START]] to %[[STOP]] step
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: } {llvm.loop_annotation = #
func.func @chunks(%frame: !llvm.ptr, %a: memref<100000000xf32>, %b: memref<100000000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000000 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %a[%i] : memref<100000000xf32>
    memref.store %0, %b[%i] : memref<100000000xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  return
}

// -----

// What is carried goes from chunk to chunk.
// CHECK-LABEL: @carried(
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[OUTER:.*]] = %arg1) -> (f32) {
// CHECK: %[[PART:.*]] = scf.for %{{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (f32) {
// CHECK: %[[NEXT:.*]] = arith.addf %[[INNER]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: scf.yield %[[PART]]
// CHECK: return %[[SUM]]
func.func @carried(%frame: !llvm.ptr, %init: f32, %a: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> f32 {
    %0 = memref.load %a[%i] : memref<?xf32>
    %1 = arith.addf %s, %0 : f32
    scf.yield %1 : f32
  }
  return %sum : f32
}

// -----

// Loops of kernels count in i64.
// CHECK-LABEL: @wide(
// CHECK: scf.for %[[START:.*]] = %{{.*}} to %[[END:.*]] step %[[STRIDE:[^ ]+]]{{ +}}: i64 {
// CHECK: cf.assert
// CHECK: %[[PAST:.*]] = arith.addi %[[START]], %[[STRIDE]] : i64
// CHECK-NEXT: %[[STOP:.*]] = arith.minsi %[[PAST]], %[[END]] : i64
// CHECK-NEXT: scf.for %{{.*}} = %[[START]] to %[[STOP]] step %{{.*}}: i64 {
func.func @wide(%frame: !llvm.ptr, %a: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(100000000 : i64) : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %0 = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.store %i, %0 : i64, !llvm.ptr
  }
  return
}

// -----

// Rounds that are long enough poll once each; loops that are over soon do not.
// CHECK-LABEL: @rounds(
// CHECK: scf.for
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load volatile
// CHECK: cf.assert
// CHECK-NEXT: scf.for
// CHECK-NOT: llvm.load
// CHECK-NOT: scf.for
// CHECK: return
func.func @rounds(%frame: !llvm.ptr, %a: memref<1000x100000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %m = arith.constant 100000 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %x, %a[%i, %j] : memref<1000x100000xf32>
    }
  }
  return
}

// CHECK-LABEL: @short(
// CHECK-NOT: volatile
// CHECK: return
func.func @short(%frame: !llvm.ptr, %a: memref<1000x1000xf32>, %x: f32, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %a[%i, %j] : memref<1000x1000xf32>
    }
  }
  scf.for %i = %c0 to %k step %c1 {
    memref.store %x, %a[%i, %c0] : memref<1000x1000xf32>
  }
  return
}

// -----

// How often a while loop runs nobody knows; it asks in each condition.
// CHECK-LABEL: @loop(
// CHECK: scf.while
// CHECK: %[[MORE:.*]] = memref.load
// CHECK: llvm.load volatile
// CHECK: cf.assert
// CHECK-NEXT: scf.condition(%[[MORE]])
func.func @loop(%frame: !llvm.ptr, %p: memref<i1>) {
  scf.while : () -> () {
    %0 = memref.load %p[] : memref<i1>
    scf.condition(%0)
  } do {
    scf.yield
  }
  return
}

// -----

// Short loops one after the other poll in between; who calls a stage that polls, looks at the
// status.
// CHECK-LABEL: @together(
// CHECK: scf.for
// CHECK: llvm.load volatile
// CHECK: cf.assert
// CHECK: scf.for
// CHECK: call @shlo.stage.0
// CHECK: llvm.load volatile
// CHECK: cf.assert
// CHECK: call @shlo.stage.1
// CHECK-NOT: llvm.load volatile
// CHECK: return
func.func @together(%frame: !llvm.ptr, %table: !llvm.ptr, %a: memref<4000000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4000000 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<4000000xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<4000000xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<4000000xf32>
  }
  call @shlo.stage.0(%frame, %table) : (!llvm.ptr, !llvm.ptr) -> ()
  call @shlo.stage.1(%frame, %table) : (!llvm.ptr, !llvm.ptr) -> ()
  return
}
func.func private @shlo.stage.0(%frame: !llvm.ptr, %table: !llvm.ptr) attributes {shlo.stage} {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  return
}
func.func private @shlo.stage.1(%frame: !llvm.ptr, %table: !llvm.ptr) attributes {shlo.stage} {
  return
}
