// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// What is written twice is computed once: constants, and what is made of the same operands.
// CHECK-LABEL: func.func private @stage.0
// CHECK-NEXT: %[[e:.*]] = stablehlo.exponential
// CHECK-NEXT: %[[one:.*]] = stablehlo.constant
// CHECK-NEXT: stablehlo.add %[[e]], %[[one]]
// CHECK-NEXT: stablehlo.subtract %[[e]], %[[one]]
// CHECK-NEXT: stablehlo.divide
// CHECK-NEXT: return
func.func public @main(%x: tensor<70x50xf32>) -> tensor<70x50xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<70x50xf32>
  %0 = stablehlo.exponential %x : tensor<70x50xf32>
  %1 = stablehlo.add %0, %one : tensor<70x50xf32>
  %again = stablehlo.constant dense<1.0> : tensor<70x50xf32>
  %2 = stablehlo.exponential %x : tensor<70x50xf32>
  %3 = stablehlo.subtract %2, %again : tensor<70x50xf32>
  %4 = stablehlo.divide %1, %3 : tensor<70x50xf32>
  return %4 : tensor<70x50xf32>
}

// -----

// Two draws of random numbers are two.
// CHECK-LABEL: func.func public @random
// CHECK-NEXT: call @stage.0
// CHECK-NEXT: call @stage.1
// CHECK-NEXT: return
func.func public @random(%low: tensor<f32>, %high: tensor<f32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %shape = stablehlo.constant dense<2048> : tensor<1xi64>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2048xf32>
  %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2048xf32>
  return %0, %1 : tensor<2048xf32>, tensor<2048xf32>
}
