// RUN: stablehlo-opt %s -hlo-test-broadcast -split-input-file -allow-unregistered-dialect -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: %[[A:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<2x1xf32>, %[[C:.+]]: tensor<2x3xf32>
// CHECK: %[[WIDE:.+]] = stablehlo.broadcast_in_dim %[[A]], dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: %[[TALL:.+]] = stablehlo.broadcast_in_dim %[[B]], dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[R:.+]]:3 = stablehlo.custom_call @numpy_broadcasted(%[[WIDE]], %[[TALL]], %[[C]]) {has_side_effect = true}
// CHECK: return %[[R]]#0
func.func @shapes(%a: tensor<3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0:3 = "hlo_test_broadcast.numpy_broadcast"(%a, %b, %c) : (tensor<3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return %0#0 : tensor<2x3xf32>
}

// -----

// A bounded size counts as its bound; then the size behind it is set.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: %[[A:.+]]: tensor<1xf32>, %[[B:.+]]: tensor<5x?xf32, #stablehlo.bounds<?, 7>>
// CHECK: %[[PADDED:.+]] = stablehlo.broadcast_in_dim %[[A]], dims = [1] : (tensor<1xf32>) -> tensor<5x7xf32>
// CHECK: %[[SIZE:.+]] = stablehlo.get_dimension_size %[[B]], dim = 1
// CHECK: %[[CUT:.+]] = stablehlo.set_dimension_size %[[PADDED]], %[[SIZE]], dim = 1 : (tensor<5x7xf32>, tensor<i32>) -> tensor<5x?xf32, #stablehlo.bounds<?, 7>>
// CHECK: stablehlo.custom_call @numpy_broadcasted(%[[CUT]], %[[B]])
!bounded = tensor<5x?xf32, #stablehlo.bounds<?, 7>>
func.func @bounded(%a: tensor<1xf32>, %b: !bounded) -> (!bounded, !bounded) {
  %0:2 = "hlo_test_broadcast.numpy_broadcast"(%a, %b) : (tensor<1xf32>, !bounded) -> (!bounded, !bounded)
  return %0#0, %0#1 : !bounded, !bounded
}

// -----

// An error leaves the marker, and is told at the operand.
// CHECK-LABEL: func.func @different
// CHECK: hlo_test_broadcast.numpy_broadcast
// expected-error@+1 {{incompatible shapes for broadcasting 2 and 3}}
func.func @different(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  "hlo_test_broadcast.numpy_broadcast"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{cannot mix bounded and static dimensions in broadcast}}
func.func @mixed(%a: tensor<3xf32>, %b: tensor<?xf32, #stablehlo.bounds<3>>) {
  "hlo_test_broadcast.numpy_broadcast"(%a, %b) : (tensor<3xf32>, tensor<?xf32, #stablehlo.bounds<3>>) -> ()
  return
}

// -----

// expected-error@+1 {{expected ranked tensor type for broadcast inputs}}
func.func @unranked(%a: tensor<3xf32>, %b: tensor<*xf32>) {
  "hlo_test_broadcast.numpy_broadcast"(%a, %b) : (tensor<3xf32>, tensor<*xf32>) -> ()
  return
}

// -----

func.func @nothing() {
  // expected-error@+1 {{requires at least one operand to broadcast}}
  "hlo_test_broadcast.numpy_broadcast"() : () -> ()
  return
}
