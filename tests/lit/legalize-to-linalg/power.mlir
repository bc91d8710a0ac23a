// Integers square and multiply once per bit; only a signed exponent can be negative.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.powf %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.power %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @signed
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NOT: math.
// CHECK-COUNT-16: arith.muli
// CHECK-NOT: arith.muli
// CHECK: %[[UNIT:.*]] = arith.ori
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[B]],
// CHECK: %[[INVERSE:.*]] = arith.select %[[UNIT]],
// CHECK-NEXT: arith.select %[[NEGATIVE]], %[[INVERSE]],
func.func @signed(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.power %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @unsigned
// CHECK-COUNT-16: arith.muli
// CHECK-NOT: arith.{{muli|cmpi slt}}
// CHECK: return
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.power %a, %b : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// e^(w log z), with a logarithm of more digits than f64 has.
// CHECK-LABEL: @complex
// CHECK-NOT: math.{{powf|atan2|log}}
// CHECK: math.cos
// CHECK: math.sin
// CHECK: math.exp
func.func @complex(%a: tensor<4xcomplex<f64>>, %b: tensor<4xcomplex<f64>>)
    -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.power %a, %b : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
