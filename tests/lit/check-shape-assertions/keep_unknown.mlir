// RUN: %shlo-opt %s --pass-pipeline='builtin.module(func.func(shlo-check-shape-assertions{keep-unknown=true}))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: stablehlo.custom_call @shape_assertion(%arg0)
// CHECK-NEXT: return
func.func @main(%ok: tensor<i1>) {
  stablehlo.custom_call @shape_assertion(%ok) {error_message = "", has_side_effect = true} : (tensor<i1>) -> ()
  %true = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%true) {error_message = "", has_side_effect = true} : (tensor<i1>) -> ()
  return
}
