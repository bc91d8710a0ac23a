// NaN wins and -0 < +0 (not maxnumf); integers by their sign; complex numbers by parts.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.maximum %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @boolean
// CHECK: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[R:.*]] = arith.ori %[[A]], %[[B]] : i1
// CHECK-NEXT: linalg.yield %[[R]] : i1
func.func @boolean(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.maximum %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @integers
// CHECK: arith.maxui %{{.*}} : i8
// CHECK: arith.maxsi %{{.*}} : i8
func.func @integers(%a: tensor<4xui8>, %b: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xi8>) {
  %0 = stablehlo.maximum %a, %a : tensor<4xui8>
  %1 = stablehlo.maximum %b, %b : tensor<4xi8>
  return %0, %1 : tensor<4xui8>, tensor<4xi8>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[A:.*]]: complex<f32>, %[[B:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK: arith.cmpf ogt,
// CHECK: arith.cmpf oeq,
// CHECK: arith.cmpf oge,
// CHECK: %[[BETTER:.*]] = arith.select %{{.*}}, %[[A]], %[[B]] : complex<f32>
// CHECK: %[[A_NAN:.*]] = arith.cmpf uno,
// CHECK: %[[B_NAN:.*]] = arith.cmpf uno,
// CHECK-NEXT: %[[OR_B:.*]] = arith.select %[[B_NAN]], %[[B]], %[[BETTER]] : complex<f32>
// CHECK-NEXT: arith.select %[[A_NAN]], %[[A]], %[[OR_B]] : complex<f32>
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.maximum %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
