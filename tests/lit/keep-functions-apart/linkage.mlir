// No function is inlined, and all but entry points are internal; declarations stay as they are.
// RUN: %shlo-opt %s --shlo-keep-functions-apart | FileCheck %s

// CHECK: llvm.func @shlo.entry.main()
// CHECK-SAME: no_inline
// CHECK: llvm.return
llvm.func @shlo.entry.main() attributes {shlo.entry = {version = 1 : i64}} {
  llvm.call @main() : () -> ()
  llvm.return
}

// CHECK: llvm.func internal @main()
// CHECK-SAME: no_inline
llvm.func @main() {
  llvm.return
}

// CHECK: llvm.func @sin(f64) -> f64
// CHECK-NOT: no_inline
llvm.func @sin(f64) -> f64
