// One that is missing is an error, and so is one that nobody expects.
// RUN: not stablehlo-translate --serialize --target=1.3.0 --verify-diagnostics %s 2>&1 | FileCheck %s
// RUN: stablehlo-translate --serialize --target=1.3.0 --verify-diagnostics=only-expected %S/targets.mlir
// CHECK: error: unexpected error: failed to legalize operation 'vhlo.tan_v2'
// CHECK: error: expected error "something else" was not produced
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{something else}}
  %0 = stablehlo.tan %arg0 : tensor<f32>
  return %0 : tensor<f32>
}
