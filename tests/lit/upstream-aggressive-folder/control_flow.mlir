// Branches, loops and reductions that constants decide.
// RUN: stablehlo-opt %s -stablehlo-aggressive-folder -split-input-file | FileCheck %s
// RUN: stablehlo-opt %s -stablehlo-aggressive-folder=assume-no-undeclared-side-effects -split-input-file | FileCheck %s --check-prefix=ASSUME

// An index out of range takes the last branch. A case whose other branches have effects stays,
// with zeros in the place of what moved out.
// CHECK-LABEL: func.func @case
// CHECK-SAME: %[[X:.+]]: tensor<f32>
// CHECK-DAG: %[[ZERO:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[SINE:.+]] = stablehlo.sine %[[X]]
// CHECK-NEXT: "stablehlo.case"
// CHECK: stablehlo.custom_call @effect
// CHECK: stablehlo.return %[[ZERO]]
// CHECK-NOT: stablehlo.sine
// CHECK: return %[[SINE]]
func.func @case(%x: tensor<f32>) -> tensor<f32> {
  %index = stablehlo.constant dense<5> : tensor<i32>
  %0 = "stablehlo.case"(%index) ({
    stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return %x : tensor<f32>
  }, {
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @case_without_effects
// CHECK-SAME: %[[X:.+]]: tensor<f32>
// CHECK-NEXT: return %[[X]]
func.func @case_without_effects(%x: tensor<f32>) -> tensor<f32> {
  %index = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.case"(%index) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A loop that never starts gives what it starts from; what it calls may have effects, unless they
// are declared.
// CHECK-LABEL: func.func @while
// CHECK-SAME: %[[X:.+]]: tensor<f32>
// CHECK: stablehlo.while
// CHECK: call @callee
// CHECK: return %[[X]]
// ASSUME-LABEL: func.func @while
// ASSUME-SAME: %[[X:.+]]: tensor<f32>
// ASSUME-NOT: stablehlo.while
// ASSUME: return %[[X]]
func.func @while(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %false = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %false : tensor<i1>
  } do {
    %1 = func.call @callee(%i) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func private @callee(%x: tensor<f32>) -> tensor<f32>

// -----

// CHECK-LABEL: func.func @declared_effects
// CHECK: stablehlo.while
// ASSUME-LABEL: func.func @declared_effects
// ASSUME: stablehlo.while
// ASSUME: stablehlo.custom_call @effect
func.func @declared_effects(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %false = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %false : tensor<i1>
  } do {
    stablehlo.custom_call @effect(%i) {has_side_effect = true} : (tensor<f32>) -> ()
    stablehlo.return %i : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @reduce
// CHECK-SAME: %[[X:.+]]: tensor<2xi1>, %[[V:.+]]: tensor<i1>
// CHECK-DAG: %[[FALSE:.+]] = stablehlo.constant dense<false> : tensor<i1>
// CHECK-NOT: stablehlo.reduce
// CHECK: return %[[X]], %[[FALSE]], %[[V]]
func.func @reduce(%x: tensor<2xi1>, %v: tensor<i1>) -> (tensor<2xi1>, tensor<i1>, tensor<i1>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<2xi1>
  %0 = stablehlo.reduce(%x init: %true) applies stablehlo.and across dimensions = [] : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  %1 = stablehlo.reduce(%false init: %true) applies stablehlo.and across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
  %2 = stablehlo.reduce(%x init: %true) across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
    reducer(%a: tensor<i1>, %b: tensor<i1>) {
      stablehlo.return %v : tensor<i1>
    }
  return %0, %1, %2 : tensor<2xi1>, tensor<i1>, tensor<i1>
}
