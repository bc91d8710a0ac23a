// RUN: %shlo-opt %s --no-implicit-module --dump-pass-pipeline --cse 2>&1 | FileCheck %s
// RUN: %shlo-opt %s --no-implicit-module --pass-pipeline="func.func(cse)" | FileCheck %s --check-prefix=OP
// RUN: %shlo-opt %s --cse | FileCheck %s --check-prefix=MODULE

// CHECK: func.func(cse)
// CHECK-NOT: module
// OP-NOT: module
// OP: func.func @main
// MODULE: module {
func.func @main() {
  return
}
