// What is not as expected is an error, of the text as a part of the message.
// RUN: not %shlo-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s
// RUN: not %shlo-opt %s --split-input-file --verify-diagnostics=only-expected 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONLY
// RUN: not %shlo-opt %s --verify-diagnostics=some 2>&1 | FileCheck %s --check-prefix=VALUE

// VALUE: error: Invalid value for '--verify-diagnostics': 'some'

// CHECK: fails.mlir:11:1: error: unexpected error: redefinition
func.func @f() { return }
func.func @f() { return } // expected-error {{does not exist}}

// ONLY-NOT: unexpected
// ONLY: fails.mlir:11:30: error: expected error "does not exist" was not produced

// -----

// CHECK: fails.mlir:21:30: error: 'error' diagnostic emitted when expecting a 'warning'
// expected-note@below {{see}}
func.func @g() { return }
func.func @g() { return } // expected-warning {{redefinition}}

// -----

// CHECK: fails.mlir:26:4: error: invalid regex
// expected-error-re@below {{a {{(}}}}
func.func @h() { return }

// -----

// CHECK: fails.mlir:32:4: error: expected error "a place" was not produced
// expected-error@unknown {{a place}}
func.func @i() { return }
