// A pass that kills its process is named, with a reproducer; so is one in LLVM's own abort.
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --cse --test-die --canonicalize \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not %shlo-opt %t.mlir --run-reproducer --load-pass-plugin=%S/Inputs/plugin.py 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-fatal \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=FATAL
// Only the part of the input that crashed is in the file.
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --split-input-file --test-die \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.part.mlir > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=PART < %t.part.mlir
// A Python pass with a defect shows its traceback.
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-raise 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DEFECT

// CHECK: error: crashed with SIGSEGV in pass 'test-die'
// CHECK-NEXT: note: reproducer written; run it by: shlo-opt --run-reproducer

// FILE: @here
// FILE: // crashed with SIGSEGV in pass 'test-die'
// FILE: pipeline: "builtin.module(cse,func.func(test-die),canonicalize)"

// AGAIN: error: crashed with SIGSEGV in pass 'test-die'
// AGAIN-NOT: reproducer

// FATAL: LLVM ERROR:
// FATAL: error: crashed with SIGABRT in pass 'test-fatal'

// PART-NOT: module @empty
// PART: @here

// DEFECT: Traceback
// DEFECT: ZeroDivisionError: a defect
// DEFECT: error: ZeroDivisionError in pass 'test-raise': a defect
module @empty {
}

// -----

func.func @here() {
  return
}
