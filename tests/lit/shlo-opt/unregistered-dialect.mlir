// RUN: not %shlo-opt %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %shlo-opt %s --allow-unregistered-dialect | FileCheck %s

// REFUSED: error: operation being parsed with an unregistered dialect
// CHECK: "ours.op"
func.func @main() {
  "ours.op"() : () -> ()
  return
}
