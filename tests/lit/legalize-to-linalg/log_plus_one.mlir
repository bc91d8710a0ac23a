// log(1 + x) is one function: a sum loses the digits of a small x.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = math.log1p %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.log_plus_one %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @double
// CHECK: ^bb0(%[[X:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[R:.*]] = math.log1p %[[X]] : f64
// CHECK-NEXT: linalg.yield %[[R]] : f64
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.log_plus_one %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: %[[MORE:.*]] = arith.addf %{{.*}}, %[[A]] : f64
// CHECK: math.log %{{.*}} : f64
// CHECK: math.atan2 %[[B]], %[[MORE]] : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.log_plus_one %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
