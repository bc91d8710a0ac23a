// RUN: %shlo-opt %s --split-input-file --output-split-marker='// =====' | FileCheck %s
// RUN: %shlo-opt %s --split-input-file | FileCheck %s --check-prefix=DEFAULT
// CHECK: @a
// CHECK: {{^}}// ====={{$}}
// CHECK: @b
// DEFAULT: {{^// -+$}}
func.func @a() { return }
// -----
func.func @b() { return }
