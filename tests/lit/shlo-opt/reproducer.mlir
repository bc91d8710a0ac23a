// A failing pass leaves the program and the pipeline; the file runs them again.
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --cse --test-fail \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not %shlo-opt --run-reproducer %t.mlir --load-pass-plugin=%S/Inputs/plugin.py \
// RUN:   --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not %shlo-opt --run-reproducer %s 2>&1 | FileCheck %s --check-prefix=NONE
// It is no reproducer that a program which does not parse asks for.
// RUN: not %shlo-opt %t.missing --mlir-pass-pipeline-crash-reproducer=%t.never --cse
// RUN: not ls %t.never

// CHECK: note: reproducer written; run it by: shlo-opt --run-reproducer {{.*}}plugin.py {{.*}}.mlir
// CHECK: error: this pass always fails

// FILE: func.func @main()
// FILE: {-#
// FILE-NEXT: external_resources: {
// FILE-NEXT: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(cse,test-fail)",
// FILE-NEXT: disable_threading: true,
// FILE-NEXT: verify_each: true

// AGAIN: builtin.module(cse,test-fail)
// AGAIN: error: this pass always fails

// NONE: error: {{.*}}reproducer.mlir: there is no mlir_reproducer in it
func.func @main() {
  return
}
