// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-name-sizes,shlo-to-stages)' | FileCheck %s

// Sizes are words of the context, behind where the arguments and the result lie; chunks are told by
// expressions of them.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: \22contexts\22: {{\[\[}}[\22argument\22, 0, 0], [\22argument\22, 1, 0], [\22result\22, 0, 0], {\22size\22: \22s0\22}]]
// CHECK: llvm.func internal @stage.0(%[[context:[a-z0-9]+]]: !llvm.ptr
// CHECK: llvm.getelementptr %[[context]][24]
func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
