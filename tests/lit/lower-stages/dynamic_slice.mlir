// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Starts are read once, in front of the loop over a row, and moved inside; what is read is a run of memory.
// CHECK-LABEL: func.func private @stage.0
// CHECK: llvm.func internal @stage.0
// CHECK: %[[i:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: %[[low:.*]] = llvm.intr.smax(%[[i]], %{{.*}})
// CHECK: llvm.intr.smin(%[[low]], %{{.*}})
// CHECK: llvm.br
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<{{[0-9]+}}xf32>
// CHECK-NOT: gather
// CHECK: llvm.fneg
func.func public @main(%x: tensor<256xf32>, %i: tensor<i32>) -> tensor<64xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [64] : (tensor<256xf32>, tensor<i32>) -> tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
