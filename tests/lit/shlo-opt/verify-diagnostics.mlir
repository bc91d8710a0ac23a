// RUN: %shlo-opt %s --split-input-file --verify-diagnostics \
// RUN:   --load-pass-plugin=%S/Inputs/plugin.py --test-remark | FileCheck %s
// Without what the comments expect, the same run fails.
// RUN: not %shlo-opt %s --split-input-file --verify-diagnostics 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING

// CHECK: @spoken
// MISSING: verify-diagnostics.mlir:10:4: error: expected remark "function "spoken"" was not produced
// MISSING: verify-diagnostics.mlir:11:4: error: expected warning "functions can be" was not produced
// expected-remark@below {{function "spoken"}}
// expected-warning@+1 {{functions can be}}
func.func @spoken() {
  return
}

// -----

// expected-note@+1 {{see existing symbol definition here}}
func.func @twice() { return }
func.func @twice() { return } // expected-error {{redefinition of symbol named 'twice'}}

// -----

func.func @types(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  // expected-error-re@above {{use of value '%b' expects different type than prior uses: 'tensor<{{[0-9]}}xf32>'}}
  // expected-note@-3 {{prior use here}}
  return %0 : tensor<2xf32>
}
