// Booleans are and-ed; bf16 products are rounded once, from f32; complex ones are the plain formula.
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
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %[[Y:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[A:.*]] = complex.re %[[X]]
// CHECK-NEXT: %[[B:.*]] = complex.im %[[X]]
// CHECK-NEXT: %[[C:.*]] = complex.re %[[Y]]
// CHECK-NEXT: %[[D:.*]] = complex.im %[[Y]]
// CHECK-NEXT: %[[AC:.*]] = arith.mulf %[[A]], %[[C]] : f32
// CHECK-NEXT: %[[BD:.*]] = arith.mulf %[[B]], %[[D]] : f32
// CHECK-NEXT: %[[RE:.*]] = arith.subf %[[AC]], %[[BD]] : f32
// CHECK-NEXT: %[[AD:.*]] = arith.mulf %[[A]], %[[D]] : f32
// CHECK-NEXT: %[[BC:.*]] = arith.mulf %[[B]], %[[C]] : f32
// CHECK-NEXT: %[[IM:.*]] = arith.addf %[[AD]], %[[BC]] : f32
// CHECK-NEXT: complex.create %[[RE]], %[[IM]] : complex<f32>
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.multiply %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
