// The cube root has negative values; a power of 1/3 would not.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @single
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.cbrt %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @single(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.cbrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @double
// CHECK: ^bb0(%[[X:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[R:.*]] = math.cbrt %[[X]] : f64
// CHECK-NEXT: linalg.yield %[[R]] : f64
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.cbrt %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[X:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WX:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NEXT: %[[R:.*]] = math.cbrt %[[WX]] : f32
// CHECK-NEXT: arith.truncf %[[R]] : f32 to bf16
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.cbrt %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// The principal root, by modulus and angle; in f64 one step of Newton's method makes it good.
// CHECK-LABEL: @complex
// CHECK: %[[ANGLE:.*]] = math.atan2 %{{.*}} : f64
// CHECK: arith.divf %[[ANGLE]], %{{.*}} : f64
// CHECK: math.cos
// CHECK: math.sin
func.func @complex(%x: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.cbrt %x : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
