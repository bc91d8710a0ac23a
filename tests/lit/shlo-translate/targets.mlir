// What is no version, or none that can be written, is an error; so is what a version lacks.
// RUN: not stablehlo-translate --serialize %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: No target version specified.
// NONE-NEXT: Target version must be of the form `#.#.#`.

// RUN: not stablehlo-translate --serialize --target=x.y.z %s 2>&1 | FileCheck %s --check-prefix=NO-VERSION
// NO-VERSION: error: Invalid target version argument 'x.y.z'
// NO-VERSION-NEXT: Target version must be of the form `#.#.#`.

// RUN: not stablehlo-translate --serialize --target=0.8.0 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: target version 0.8.0 is less than minimum supported 0.9.0

// RUN: not stablehlo-translate --serialize --target=100.0.0 %s 2>&1 | FileCheck %s --check-prefix=NEW
// NEW: error: target version 100.0.0 is greater than current version {{[0-9.]+}}

// RUN: not stablehlo-translate --serialize --target=1.3.0 %s 2>&1 | FileCheck %s
// CHECK: targets.mlir:[[# @LINE + 4]]:8: error: failed to legalize operation 'vhlo.tan_v2' that was explicitly marked illegal
// CHECK: error: failed to convert VHLO to v1.3.0
// CHECK-NEXT: hint: --explain-target=1.3.0 lists all that is in the way
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tan %arg0 : tensor<f32>
  return %0 : tensor<f32>
}
