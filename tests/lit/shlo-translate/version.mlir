// The version of an artifact is told before it is read.
// RUN: stablehlo-translate --serialize --target=1.2.0 %s | stablehlo-translate --deserialize --print-stablehlo-version | FileCheck %s
// CHECK: // Reading portable artifact with StableHLO version: 1.2.0
// CHECK-NEXT: module {

// RUN: stablehlo-translate --deserialize --print-stablehlo-version %s | FileCheck %s --check-prefix=TEXT
// TEXT: // Failed parsing StableHLO version from portable artifact
// TEXT-NEXT: module {

// VHLO as text is read like an artifact.
// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo --vhlo-to-version='target=0.9.0' %s | stablehlo-translate --deserialize | FileCheck %s --check-prefix=VHLO
// VHLO: stablehlo.tanh %arg0 : tensor<f32>
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %arg0 : tensor<f32>
  return %0 : tensor<f32>
}
