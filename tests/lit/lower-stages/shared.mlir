// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-partition,shlo-lower-stages{shared})' | FileCheck %s

// Two stages, one way to compute them: both run one kernel, which is not part of the module.
// CHECK: func.func private @stage.0
// CHECK-SAME: kernel.[[NAME:[0-9a-f]+]]
// CHECK: func.func private @stage.1
// CHECK-SAME: kernel.[[NAME]]
// CHECK-NOT: llvm.func
func.func public @main(%x: tensor<65xi32>, %y: tensor<65xui32>) -> (tensor<65xi32>, tensor<65xui32>) {
  %0 = stablehlo.add %x, %x : tensor<65xi32>
  %1 = stablehlo.add %y, %y : tensor<65xui32>
  return %0, %1 : tensor<65xi32>, tensor<65xui32>
}
