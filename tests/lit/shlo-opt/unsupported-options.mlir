// Options of mlir-opt that the bindings cannot serve are refused, with what to use instead.
// RUN: not %shlo-opt %s --interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET
// INTERPRET: error: --interpret is not supported: {{.*}} shlo-run --backend=reference FILE

// RUN: not %shlo-opt %s -debug-only=cse 2>&1 | FileCheck %s --check-prefix=DEBUG
// DEBUG: error: --debug-only is not supported: {{.*}} --mlir-print-ir-after-change

// RUN: not %shlo-opt %s --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: error: --mlir-pass-statistics is not supported: {{.*}} --mlir-timing

// RUN: not %shlo-opt %s --mlir-print-stacktrace-on-diagnostic 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STACK
// STACK: error: --mlir-print-stacktrace-on-diagnostic is not supported: {{.*}} --mlir-print-ir-after-failure

// RUN: not %shlo-opt %s --mlir-print-elementsattrs-with-hex-if-larger 3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HEX
// HEX: error: --mlir-print-elementsattrs-with-hex-if-larger is not supported: {{.*}} --mlir-elide-elementsattrs-if-larger

// RUN: not %shlo-opt %s --mlir-print-value-users 2>&1 | FileCheck %s --check-prefix=USERS
// USERS: error: --mlir-print-value-users is not supported: {{.*}} value.uses

// RUN: not %shlo-opt %s --mlir-print-unique-ssa-ids 2>&1 | FileCheck %s --check-prefix=UNIQUE
// UNIQUE: error: --mlir-print-unique-ssa-ids is not supported: {{.*}} --mlir-use-nameloc-as-prefix

// RUN: not %shlo-opt %s --elide-resource-data-from-bytecode 2>&1 | FileCheck %s --check-prefix=ELIDE
// ELIDE: error: --elide-resource-data-from-bytecode is not supported: {{.*}} --mlir-elide-resource-strings-if-larger

// They are in the long help alone.
// RUN: %shlo-opt --help-hidden | FileCheck %s --check-prefix=HIDDEN
// HIDDEN: Options of mlir-opt that are refused:
// HIDDEN-NEXT: --interpret programs are run by another command
// RUN: %shlo-opt --help | FileCheck %s --check-prefix=HELP
// HELP-NOT: --interpret
// RUN: %shlo-opt --help-list | FileCheck %s --check-prefix=LIST
// LIST: Options:
// LIST-NEXT: --allow-unregistered-dialect Accept ops of unknown dialects.
// LIST-NEXT: --dump-pass-pipeline
// LIST-NOT: --interpret
// LIST: Passes written in Python:
// LIST: --shlo-legalize-to-linalg
// LIST: Passes of MLIR and StableHLO:
// LIST: --canonicalize
func.func @main() {
  return
}
