// The processor traps on x / 0 and INT_MIN / -1, so it divides by 1 there. x / 0 is all ones.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @unsigned
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32):
// CHECK: %[[ONES:.*]] = arith.constant -1 : i32
// CHECK: %[[BY_ZERO:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i32
// CHECK: %[[SAFE:.*]] = arith.select %[[BY_ZERO]], %{{.*}}, %[[B]] : i32
// CHECK-NEXT: %[[Q:.*]] = arith.divui %[[A]], %[[SAFE]] : i32
// CHECK-NEXT: arith.select %[[BY_ZERO]], %[[ONES]], %[[Q]] : i32
func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.divide %a, %b : tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: @signed
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[ONES:.*]] = arith.constant -1 : i8
// CHECK: %[[BY_ZERO:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i8
// CHECK: arith.constant -128 : i8
// CHECK: %[[OVERFLOW:.*]] = arith.andi
// CHECK-NEXT: %[[TRAP:.*]] = arith.ori %[[BY_ZERO]], %[[OVERFLOW]] : i1
// CHECK: %[[SAFE:.*]] = arith.select %[[TRAP]], %{{.*}}, %[[B]] : i8
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]] : i8
// CHECK-NEXT: arith.select %[[BY_ZERO]], %[[ONES]], %[[Q]] : i8
func.func @signed(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.divide %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.divf %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.divide %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// In f64 the products of parts of complex<f32> are exact.
// CHECK-LABEL: @complex
// CHECK-COUNT-4: arith.extf %{{.*}} : f32 to f64
// CHECK: %[[SQUARE:.*]] = math.fma
// CHECK: arith.divf %{{.*}}, %[[SQUARE]] : f64
// CHECK: arith.divf %{{.*}}, %[[SQUARE]] : f64
// CHECK-COUNT-2: arith.truncf %{{.*}} : f64 to f32
func.func @complex(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>)
    -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.divide %a, %b : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
