// What is no tensor cannot stand in a table of addresses.
// RUN: not %shlo-opt %s --shlo-add-entry-points 2>&1 | FileCheck %s

// CHECK: error: {{.*}}@main takes index, which is no tensor
func.func @main(%frame: !llvm.ptr, %n: index) attributes {
    shlo.arena = 0 : i64, shlo.signature = (index) -> ()} {
  return
}
