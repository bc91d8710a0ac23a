// Dumps parse back, also of a slice without indices, which MLIR's short form writes with a comma.
// RUN: %shlo-opt %s --canonicalize --mlir-print-ir-before=canonicalize 2> %t.mlir > /dev/null
// RUN: %shlo-opt %t.mlir --cse --mlir-print-ir-after=cse 2> %t.2.mlir > /dev/null
// RUN: %shlo-opt %t.2.mlir | FileCheck %s

// CHECK: "stablehlo.dynamic_slice"(%{{.*}}) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.dynamic_slice"(%x) {slice_sizes = array<i64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
