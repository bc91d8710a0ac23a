// Stages have names that no function of the program has.

// RUN: %shlo-opt %s --shlo-partition | FileCheck %s
// RUN: %shlo-run %s --function=stage.0 --input=4xf32=0 | FileCheck %s --check-prefix=RESULT
// RESULT: result0: tensor<4xf32>

// CHECK: func.func public @stage.0
// CHECK: call @_stage.0
// CHECK: func.func private @_stage.0
func.func public @stage.0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
