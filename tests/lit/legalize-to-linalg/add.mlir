// Booleans are or-ed, not added modulo 2; the sign of integers does not matter.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @boolean
// CHECK: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[R:.*]] = arith.ori %[[A]], %[[B]] : i1
// CHECK-NEXT: linalg.yield %[[R]] : i1
func.func @boolean(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.add %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: %[[R:.*]] = arith.addi %[[A]], %[[B]] : i32
// CHECK-NEXT: linalg.yield %[[R]] : i32
func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.add %a, %b : tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[A:.*]]: complex<f32>, %[[B:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[R:.*]] = complex.add %[[A]], %[[B]] : complex<f32>
// CHECK-NEXT: linalg.yield %[[R]] : complex<f32>
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.add %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
