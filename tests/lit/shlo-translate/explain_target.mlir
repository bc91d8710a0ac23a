// All that keeps a program from a version is listed, and the oldest version that would do.
// RUN: not %shlo-translate --explain-target=1.0.0 %s 2>&1 | FileCheck %s
// RUN: %shlo-translate --explain-target=1.7.0 %s | FileCheck %s --check-prefix=FINE
// RUN: %shlo-translate --serialize --target=1.7.0 %s -o %t.bc
// RUN: not %shlo-translate --explain-target=1.0.0 %t.bc 2>&1 | FileCheck %s --check-prefix=ARTIFACT
// CHECK: explain_target.mlir:[[# @LINE + 11]]:1: error: func.func: type tensor<2xf8E3M4> needs StableHLO 1.7.0
// CHECK: explain_target.mlir:[[# @LINE + 11]]:8: error: stablehlo.tan needs StableHLO 1.4.0
// CHECK: explain_target.mlir:[[# @LINE + 11]]:8: error: stablehlo.custom_call needs StableHLO 1.3.0, for a dictionary as backend_config, or the typed FFI
// CHECK: oldest version that will do: 1.7.0
// FINE-NOT: error
// FINE: oldest version that will do: 1.7.0
// ARTIFACT: error: func.func: type tensor<2xf8E3M4> needs StableHLO 1.7.0
// ARTIFACT: error: stablehlo.tan needs StableHLO 1.4.0

// RUN: not %shlo-translate --explain-target=1 %s 2>&1 | FileCheck %s --check-prefix=NO-VERSION
// NO-VERSION: error: Invalid target version argument '1'
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf8E3M4>) -> tensor<2xf32> {
  %0 = stablehlo.tan %a : tensor<2xf32>
  %1 = stablehlo.custom_call @f(%0) {api_version = 4 : i32, backend_config = {x = 1 : i64}} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
