// Counted in the type's own width: a wider one would have more zeros in front.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @byte
// CHECK: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[R:.*]] = math.ctlz %[[X]] : i8
// CHECK-NEXT: linalg.yield %[[R]] : i8
func.func @byte(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.count_leading_zeros %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[X:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: %[[R:.*]] = math.ctlz %[[X]] : i32
// CHECK-NEXT: linalg.yield %[[R]] : i32
func.func @unsigned(%x: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.count_leading_zeros %x : tensor<4xui32>
  return %0 : tensor<4xui32>
}
