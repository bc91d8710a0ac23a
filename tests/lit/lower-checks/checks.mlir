// A failing check writes its number and returns; the numbers' messages stand on the module.
// RUN: %shlo-opt %s --shlo-lower-checks | FileCheck %s

// CHECK: module attributes {shlo.checks = [
// CHECK-SAME: {message = "second", place = "{{.*}}:{{[0-9]+}}:3"}, {message = "first"
// CHECK-LABEL: @main(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr,
// CHECK: cf.cond_br %arg1, ^[[REST:.*]], ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK: %[[STATUS:.*]] = llvm.getelementptr %[[FRAME]][8]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-NEXT: llvm.store %[[NUMBER]], %[[STATUS]]
// CHECK-NEXT: %[[NOTHING:.*]] = ub.poison : f32
// CHECK-NEXT: return %[[NOTHING]]
// CHECK: ^[[REST]]:
// CHECK-NEXT: cf.cond_br %arg2, ^[[DONE:.*]], ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: ^[[DONE]]:
// CHECK-NEXT: return %arg3
func.func @main(%frame: !llvm.ptr, %p: i1, %q: i1, %x: f32) -> f32 {
  cf.assert %p, "first"
  cf.assert %q, "second"
  return %x : f32
}

// Where the status is written already, it is kept.
// CHECK-LABEL: @propagates(
// CHECK: cf.cond_br %arg1
// CHECK-NOT: llvm.store
// CHECK-NOT: cf.assert
func.func @propagates(%frame: !llvm.ptr, %p: i1) {
  cf.assert %p, "" {shlo.propagate}
  return
}
