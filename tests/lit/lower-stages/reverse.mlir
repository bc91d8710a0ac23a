// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// A run is loaded and its lanes are turned around.
// CHECK-LABEL: func.func private @stage.0
// CHECK: %[[run:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<{{[0-9]+}}xf32>
// CHECK: llvm.shufflevector %[[run]], %[[run]] [{{31, 30, 29|15, 14, 13|7, 6, 5}}
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
