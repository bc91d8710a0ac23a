// A loop's annotation reaches LLVM's branches.
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(convert-scf-to-cf,shlo-lower-loop-annotations,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm)' | FileCheck %s

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[KEPT:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[KEPT]]}
func.func private @f(i64)
func.func @loop(%n: i64, %x: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    func.call @f(%x) : (i64) -> ()
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  return
}
