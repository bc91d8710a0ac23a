// Locations are in an artifact, or not.
// RUN: stablehlo-translate --serialize --target=current %s | stablehlo-translate --deserialize -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// CHECK: stablehlo.abs %{{.*}} loc("model.py":3:4)

// RUN: stablehlo-translate --serialize --target=current --strip-debuginfo %s | stablehlo-translate --deserialize -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=STRIPPED
// STRIPPED-NOT: model.py
// STRIPPED: stablehlo.abs %{{.*}} loc(unknown)
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %arg0 : tensor<f32> loc("model.py":3:4)
  return %0 : tensor<f32>
}
