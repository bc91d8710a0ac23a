// -0 and NaN stay what they are; an integer's sign is its top bit, spread.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]],
// CHECK: %[[BELOW:.*]] = arith.select %[[LESS]], %{{.*}}, %[[X]] : f32
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[X]],
// CHECK: arith.select %[[MORE]], %{{.*}}, %[[BELOW]] : f32
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sign %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @integer
// CHECK: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[X]],
// CHECK: %[[LAST:.*]] = arith.constant 7 : i8
// CHECK-NEXT: %[[SIGN:.*]] = arith.shrsi %[[X]], %[[LAST]] : i8
// CHECK: arith.select %[[MORE]], %{{.*}}, %[[SIGN]] : i8
func.func @integer(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.sign %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @complex
// CHECK: ^bb0(%[[X:.*]]: complex<f32>, %{{.*}}: complex<f32>):
// CHECK-NEXT: %[[RE:.*]] = complex.re %[[X]] : complex<f32>
// CHECK-NEXT: %[[A:.*]] = arith.extf %[[RE]] : f32 to f64
// CHECK-NEXT: %[[IM:.*]] = complex.im %[[X]] : complex<f32>
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[IM]] : f32 to f64
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: arith.divf %[[A]], %{{.*}} : f64
// CHECK: arith.divf %[[B]], %{{.*}} : f64
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: %[[D:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: complex.create %[[C]], %[[D]] : complex<f32>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.sign %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
