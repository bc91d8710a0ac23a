// Where an op's answer is the marker's word both vanish; elsewhere both stay.
// RUN: stablehlo-opt %s --hlo-test-speculatability --split-input-file --allow-unregistered-dialect | FileCheck %s

// A result's type must not tell a size that the operand's does not.
// CHECK-LABEL: func.func @unary
// CHECK-NEXT: return
func.func @unary(%static: tensor<2xf64>, %dynamic: tensor<?xf64>) {
  %0 = stablehlo.abs %static : (tensor<2xf64>) -> tensor<2xf64>
  "hlo_test_speculatability.is_speculatable"(%0) : (tensor<2xf64>) -> ()
  %1 = stablehlo.abs %dynamic : (tensor<?xf64>) -> tensor<?xf64>
  "hlo_test_speculatability.is_speculatable"(%1) : (tensor<?xf64>) -> ()
  %2 = stablehlo.abs %dynamic : (tensor<?xf64>) -> tensor<2xf64>
  "hlo_test_speculatability.is_not_speculatable"(%2) : (tensor<2xf64>) -> ()
  %3 = stablehlo.convert %static : (tensor<2xf64>) -> tensor<?xf32>
  "hlo_test_speculatability.is_speculatable"(%3) : (tensor<?xf32>) -> ()
  return
}

// -----

// Operands of unknown sizes may differ from each other.
// CHECK-LABEL: func.func @binary
// CHECK-NEXT: return
func.func @binary(%static: tensor<2xf64>, %dynamic: tensor<?xf64>, %p: tensor<i1>) {
  %0 = stablehlo.add %static, %static : tensor<2xf64>
  "hlo_test_speculatability.is_speculatable"(%0) : (tensor<2xf64>) -> ()
  %1 = stablehlo.add %static, %dynamic : (tensor<2xf64>, tensor<?xf64>) -> tensor<2xf64>
  "hlo_test_speculatability.is_not_speculatable"(%1) : (tensor<2xf64>) -> ()
  %2 = stablehlo.select %p, %dynamic, %dynamic : tensor<i1>, tensor<?xf64>
  "hlo_test_speculatability.is_not_speculatable"(%2) : (tensor<?xf64>) -> ()
  return
}

// -----

// Ops with another answer, with another use, and without an answer stay.
// CHECK-LABEL: func.func @stays
// CHECK: %[[SUM:.+]] = stablehlo.add
// CHECK-NEXT: "hlo_test_speculatability.is_not_speculatable"(%[[SUM]])
// CHECK: %[[TWICE:.+]] = stablehlo.multiply
// CHECK-NEXT: "hlo_test_speculatability.is_speculatable"(%[[TWICE]])
// CHECK: %[[CALL:.+]] = stablehlo.custom_call
// CHECK-NEXT: "hlo_test_speculatability.is_speculatable"(%[[CALL]])
// CHECK-NEXT: return %[[TWICE]]
func.func @stays(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.add %x, %x : tensor<2xf64>
  "hlo_test_speculatability.is_not_speculatable"(%0) : (tensor<2xf64>) -> ()
  %1 = stablehlo.multiply %x, %x : tensor<2xf64>
  "hlo_test_speculatability.is_speculatable"(%1) : (tensor<2xf64>) -> ()
  %2 = stablehlo.custom_call @unknown(%x) : (tensor<2xf64>) -> tensor<2xf64>
  "hlo_test_speculatability.is_speculatable"(%2) : (tensor<2xf64>) -> ()
  return %1 : tensor<2xf64>
}
