// Limits count elements, but not of what is the same everywhere; inexact functions wait to be asked.
// RUN: %shlo-opt %s --shlo-fold | FileCheck %s --check-prefix=DEFAULT
// RUN: %shlo-opt %s --shlo-fold='max-elements=3' | FileCheck %s --check-prefix=RESULT
// RUN: %shlo-opt %s --shlo-fold='max-operand-elements=3' | FileCheck %s --check-prefix=OPERAND
// RUN: %shlo-opt %s --shlo-fold=fold-inexact | FileCheck %s --check-prefix=INEXACT
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-fold-and-simplify{max-elements=3 max-operand-elements=3})' | FileCheck %s --check-prefix=LIMITED
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(func.func(shlo-fold-and-simplify{fold-inexact=true}))' | FileCheck %s --check-prefix=INEXACT
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-fold-and-simplify{pure-calls=true})' | FileCheck %s --check-prefix=CALLS
// RUN: %shlo-opt %s --shlo-fold-and-simplify | FileCheck %s --check-prefix=BOTH

// DEFAULT-LABEL: @limits
// DEFAULT-NOT: stablehlo.add
// DEFAULT-NOT: stablehlo.slice
// RESULT-LABEL: @limits
// RESULT: stablehlo.add
// RESULT: stablehlo.constant dense<2> : tensor<4xi32>
// RESULT: stablehlo.constant dense<[2, 3]> : tensor<2xi32>
// OPERAND-LABEL: @limits
// OPERAND: stablehlo.add
// OPERAND: stablehlo.constant dense<2> : tensor<4xi32>
// OPERAND: stablehlo.slice
// LIMITED-LABEL: @limits
// LIMITED: stablehlo.add
// LIMITED: stablehlo.constant dense<2> : tensor<4xi32>
// LIMITED: stablehlo.slice
func.func @limits() -> (tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
  %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %d = stablehlo.constant dense<1> : tensor<4xi32>
  %0 = stablehlo.add %c, %c : tensor<4xi32>
  %1 = stablehlo.add %d, %d : tensor<4xi32>
  %2 = stablehlo.slice %c [1:3] : (tensor<4xi32>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
}

// e is 2.71828182845904523..., the f32 nearest to it prints as 2.71828175; (1 + 2i)(3 + 4i) is
// -5 + 10i.
// DEFAULT-LABEL: @inexact
// DEFAULT: stablehlo.exponential
// DEFAULT: stablehlo.multiply
// DEFAULT: stablehlo.reduce
// INEXACT-LABEL: @inexact
// INEXACT-NEXT: %[[E:.*]] = stablehlo.constant dense<2.71828175> : tensor<f32>
// INEXACT-NEXT: %[[Z:.*]] = stablehlo.constant dense<(-5.000000e+00,1.000000e+01)> : tensor<complex<f32>>
// INEXACT-NEXT: %[[S:.*]] = stablehlo.constant dense<6.000000e+00> : tensor<f32>
// INEXACT-NEXT: return %[[E]], %[[Z]], %[[S]]
func.func @inexact() -> (tensor<f32>, tensor<complex<f32>>, tensor<f32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %a = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %b = stablehlo.constant dense<(3.0, 4.0)> : tensor<complex<f32>>
  %r = stablehlo.constant dense<[1.0, 1.5, 2.5]> : tensor<3xf32>
  %0 = stablehlo.exponential %one : tensor<f32>
  %1 = stablehlo.multiply %a, %b : tensor<complex<f32>>
  %2 = stablehlo.reduce(%r init: %one) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<complex<f32>>, tensor<f32>
}

// DEFAULT-LABEL: @calls
// DEFAULT: call @callee
// CALLS-LABEL: @calls
// CALLS-NOT: call @callee
// CALLS: stablehlo.custom_call @effect
// CALLS: return
func.func @calls(%x: tensor<f32>) {
  %0 = func.call @callee(%x) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return
}

func.func private @callee(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// Folding makes the zero that simplification drops.
// BOTH-LABEL: @both
// BOTH-NEXT: return %arg0
// DEFAULT-LABEL: @both
// DEFAULT: stablehlo.add
func.func @both(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %d = stablehlo.subtract %c, %c : tensor<2xi32>
  %0 = stablehlo.add %d, %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
