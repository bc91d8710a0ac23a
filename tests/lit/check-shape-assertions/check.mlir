// RUN: %shlo-opt %s --split-input-file --shlo-check-shape-assertions --verify-diagnostics | FileCheck %s

// What holds goes, and so does what computed it.
// CHECK-LABEL: @holds
// CHECK-NEXT: return
func.func @holds(%x: tensor<6xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<6xf32>) -> tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %ok = stablehlo.compare EQ, %n, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return
}

// -----

func.func @fails(%x: tensor<6xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<6xf32>) -> tensor<i32>
  %m = stablehlo.constant dense<-7> : tensor<i64>
  %ok = stablehlo.constant dense<false> : tensor<i1>
  // expected-error @+1 {{got 6, wanted -7 of {rows}}}
  stablehlo.custom_call @shape_assertion(%ok, %n, %m) {api_version = 2 : i32, error_message = "got {0}, wanted {1:d} of {{rows}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i64>) -> ()
  return
}

// -----

func.func @unknown(%ok: tensor<i1>) {
  // expected-error @+1 {{shape_assertion: operand 0 is no constant; refine shapes first}}
  stablehlo.custom_call @shape_assertion(%ok) {error_message = "", has_side_effect = true} : (tensor<i1>) -> ()
  return
}

// -----

func.func @malformed(%ok: tensor<i32>) {
  // expected-error @+1 {{its condition is a tensor<i1>, not tensor<i32>}}
  stablehlo.custom_call @shape_assertion(%ok) {error_message = "", has_side_effect = true} : (tensor<i32>) -> ()
  // expected-error @+1 {{it has no error_message}}
  stablehlo.custom_call @shape_assertion(%ok) {has_side_effect = true} : (tensor<i32>) -> ()
  return
}
