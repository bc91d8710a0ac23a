// Unsigned integers and NE on NaN (true) need predicates of their own; a total order compares bits.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i1):
// CHECK-NEXT: arith.cmpi ult, %[[A]], %[[B]] : i32
func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @unequal
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: i1):
// CHECK-NEXT: arith.cmpf une, %[[A]], %[[B]] : f32
func.func @unequal(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.compare NE, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @total
// CHECK-NOT: cmpf
// CHECK: %[[A:.*]] = arith.xori
// CHECK: %[[B:.*]] = arith.xori
// CHECK-NEXT: arith.cmpi slt, %[[A]], %[[B]] : i32
func.func @total(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// By real parts, then by imaginary parts.
// CHECK-LABEL: @complex
// CHECK: arith.cmpf olt,
// CHECK: arith.cmpf oeq,
// CHECK: arith.cmpf ole,
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>) -> tensor<4xi1> {
  %0 = stablehlo.compare LE, %a, %b
    : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
