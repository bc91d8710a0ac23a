// Every part is a program of its own; diagnostics keep the lines of the whole file.
// RUN: not %shlo-opt %s --split-input-file > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// A file is written only if all is well.
// RUN: not %shlo-opt %s -o %t.never --split-input-file
// RUN: not ls %t.never
// RUN: not %shlo-opt %s 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: %shlo-opt %s -split-input-file="// @""@@" --verify-diagnostics | FileCheck %s --check-prefix=OTHER

// CHECK: module {
// CHECK-NEXT: func.func @same()
// CHECK: {{//}} -----
// CHECK-NEXT: {{//}} -----
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @same()
// CHECK: func.func @last()

// ERR: split-input-file.mlir:34:1: warning: near miss with file split marker
// ERR: split-input-file.mlir:30:14: error: custom op 'nonsense' is unknown
// ERR-NEXT: nonsense // expected
// ERR-NEXT: {{^ +\^$}}

// WHOLE: error: custom op 'nonsense' is unknown
// OTHER: {{//}} -----
// OTHER-NEXT: module {
// OTHER-NEXT: func.func @last()
func.func @same() { return }
// -----
             nonsense // expected-error {{unknown}}
// -----
func.func @same() { return }

// ------
// @@@
func.func @last() { return }
