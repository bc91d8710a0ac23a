// Booleans are and-ed; bf16 products are rounded once, from f32.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @boolean
// CHECK: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[R:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT: linalg.yield %[[R]] : i1
func.func @boolean(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.multiply %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[A]], %[[B]] : i8
// CHECK-NEXT: linalg.yield %[[R]] : i8
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.multiply %a, %b : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WA:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[WB:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[WA]], %[[WB]] : f32
// CHECK-NEXT: arith.truncf %[[R]] : f32 to bf16
func.func @narrow(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.multiply %a, %b : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[A:.*]]: complex<f32>, %[[B:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[R:.*]] = complex.mul %[[A]], %[[B]] : complex<f32>
// CHECK-NEXT: linalg.yield %[[R]] : complex<f32>
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.multiply %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
