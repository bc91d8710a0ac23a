// One function of both operands, which sees the quadrant: the quotient does not.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.atan2 %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.atan2 %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[Y:.*]]: complex<f32>, %[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-COUNT-4: arith.extf %{{.*}} : f32 to f64
// CHECK-COUNT-3: math.atan2 %{{.*}} : f64
// CHECK: math.log1p %{{.*}} : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.atan2 %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WA:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[WB:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT: %[[R:.*]] = math.atan2 %[[WA]], %[[WB]] : f32
// CHECK-NEXT: arith.truncf %[[R]] : f32 to bf16
func.func @narrow(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.atan2 %a, %b : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
