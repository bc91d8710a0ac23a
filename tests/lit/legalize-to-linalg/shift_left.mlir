// Past the width, or by a negative amount, the result is 0.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @signed
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[BEYOND:.*]] = arith.constant 0 : i8
// CHECK: %[[WIDTH:.*]] = arith.constant 8 : i8
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %[[B]], %[[WIDTH]] : i8
// CHECK: %[[BY:.*]] = arith.select %[[INSIDE]], %[[B]], %{{.*}} : i8
// CHECK-NEXT: %[[R:.*]] = arith.shli %[[A]], %[[BY]] : i8
// CHECK-NEXT: arith.select %[[INSIDE]], %[[R]], %[[BEYOND]] : i8
func.func @signed(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.shift_left %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32):
// CHECK: %[[BEYOND:.*]] = arith.constant 0 : i32
// CHECK: %[[WIDTH:.*]] = arith.constant 32 : i32
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %[[B]], %[[WIDTH]] : i32
// CHECK: %[[BY:.*]] = arith.select %[[INSIDE]], %[[B]], %{{.*}} : i32
// CHECK-NEXT: %[[R:.*]] = arith.shli %[[A]], %[[BY]] : i32
// CHECK-NEXT: arith.select %[[INSIDE]], %[[R]], %[[BEYOND]] : i32
func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.shift_left %a, %b : tensor<4xui32>
  return %0 : tensor<4xui32>
}
