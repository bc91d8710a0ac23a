// A boolean flips; an integer flips every bit.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @boolean
// CHECK: ^bb0(%[[X:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: arith.xori %[[X]], %[[TRUE]] : i1
func.func @boolean(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.not %x : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[ONES:.*]] = arith.constant -1 : i8
// CHECK-NEXT: arith.xori %[[X]], %[[ONES]] : i8
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.not %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}
