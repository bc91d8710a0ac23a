// Bit by bit, whatever the sign; on booleans it is the logical operation.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @boolean
// CHECK: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[R:.*]] = arith.xori %[[A]], %[[B]] : i1
// CHECK-NEXT: linalg.yield %[[R]] : i1
func.func @boolean(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.xor %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @signed
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[R:.*]] = arith.xori %[[A]], %[[B]] : i8
// CHECK-NEXT: linalg.yield %[[R]] : i8
func.func @signed(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.xor %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i64, %[[B:.*]]: i64, %{{.*}}: i64):
// CHECK-NEXT: %[[R:.*]] = arith.xori %[[A]], %[[B]] : i64
// CHECK-NEXT: linalg.yield %[[R]] : i64
func.func @unsigned(%a: tensor<4xui64>, %b: tensor<4xui64>) -> tensor<4xui64> {
  %0 = stablehlo.xor %a, %b : tensor<4xui64>
  return %0 : tensor<4xui64>
}
