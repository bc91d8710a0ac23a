// Outputs of parts follow one another, without a line between them unless one is asked for.
// RUN: stablehlo-translate --deserialize --split-input-file %s | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: stablehlo-translate --deserialize --split-input-file --output-split-marker="// +++" %s | FileCheck %s --check-prefixes=CHECK,MARKED
// CHECK: @first
// PLAIN-NOT: // -----
// MARKED: // +++
// CHECK: @second
func.func @first() {
  return
}
// -----
func.func @second() {
  return
}

// RUN: not stablehlo-translate --serialize --target=current --split-input-file %s 2>&1 | FileCheck %s --check-prefix=BINARY
// BINARY: error: an artifact holds one program, and the input has 3

// RUN: stablehlo-translate --deserialize --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// GENERIC: "func.func"() <{

// RUN: echo 'func.func @f() { return }' | not stablehlo-translate --deserialize --no-implicit-module 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: <stdin>:1:1: error: expected a 'builtin.module' op, got 'func.func'
// RUN: echo 'module { func.func @f() { return } }' | stablehlo-translate --deserialize --no-implicit-module | FileCheck %s --check-prefix=MODULE
// MODULE: func.func @f()

// RUN: echo '"unknown.op"() : () -> ()' > %t.mlir
// RUN: stablehlo-translate --deserialize --allow-unregistered-dialect %t.mlir | FileCheck %s --check-prefix=UNKNOWN
// RUN: not stablehlo-translate --deserialize %t.mlir 2>&1 | FileCheck %s --check-prefix=REFUSED
// UNKNOWN: "unknown.op"() : () -> ()
// REFUSED: :1:13: error: operation being parsed with an unregistered dialect

// Warnings are told, or left out.
// RUN: echo 'func.func @f(%%a: tensor<2xf32>) -> tensor<2xf32> { %%0 = stablehlo.abs %%a {wrong = 1 : i32} : tensor<2xf32> return %%0 : tensor<2xf32> }' > %t.warn
// RUN: stablehlo-translate --deserialize %t.warn 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: stablehlo-translate --deserialize --error-diagnostics-only %t.warn 2>&1 | FileCheck %s --check-prefix=SILENT
// WARNING: warning: stablehlo.abs has no attribute 'wrong'
// SILENT-NOT: warning
// SILENT: stablehlo.abs
