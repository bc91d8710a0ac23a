// Neutral numbers, constants on the right, signs; what would change a zero or a NaN stays.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @commuted
// CHECK: %[[C:.*]] = stablehlo.constant dense<3>
// CHECK: stablehlo.add %arg0, %[[C]] : tensor<4xi32>
// CHECK: stablehlo.maximum %arg0, %[[C]] : tensor<4xi32>
// CHECK: stablehlo.subtract %[[C]], %arg0 : tensor<4xi32>
func.func @commuted(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<3> : tensor<4xi32>
  %0 = stablehlo.add %c, %x : tensor<4xi32>
  %1 = stablehlo.maximum %c, %x : tensor<4xi32>
  %2 = stablehlo.subtract %c, %x : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// The constant may be a broadcast one, and on either side.
// CHECK-LABEL: @neutral_integers
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @neutral_integers(%x: tensor<4xui8>)
    -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>) {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<ui8>) -> tensor<4xui8>
  %ones = stablehlo.constant dense<1> : tensor<4xui8>
  %most = stablehlo.constant dense<255> : tensor<4xui8>
  %0 = stablehlo.add %zeros, %x : tensor<4xui8>
  %1 = stablehlo.subtract %x, %zeros : tensor<4xui8>
  %2 = stablehlo.multiply %ones, %x : tensor<4xui8>
  %3 = stablehlo.divide %x, %ones : tensor<4xui8>
  %4 = stablehlo.maximum %zeros, %x : tensor<4xui8>
  %5 = stablehlo.minimum %x, %most : tensor<4xui8>
  return %0, %1, %2, %3, %4, %5
    : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>
}

// -0.0 + 0.0 is 0.0, but -0.0 + -0.0 and -0.0 - 0.0 are -0.0.
// CHECK-LABEL: @neutral_floats
// CHECK: %[[ADD:.*]] = stablehlo.add %arg0, %{{.*}} : tensor<4xf32>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.constant dense<-0.000000e+00>
// CHECK-NEXT: %[[SUB:.*]] = stablehlo.subtract %arg0, %[[NEG]] : tensor<4xf32>
// CHECK-NEXT: return %[[ADD]], %arg0, %arg0, %[[SUB]], %arg0, %arg0
func.func @neutral_floats(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %negative = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %1 = stablehlo.add %x, %negative : tensor<4xf32>
  %2 = stablehlo.subtract %x, %zero : tensor<4xf32>
  %3 = stablehlo.subtract %x, %negative : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %4 = stablehlo.multiply %x, %one : tensor<4xf32>
  %infinity = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %5 = stablehlo.maximum %x, %infinity : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5
    : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// (x + yi) * (1 + 0i) may be NaN where y is infinite.
// CHECK-LABEL: @complex_one
// CHECK: stablehlo.multiply
func.func @complex_one(%z: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.multiply %z, %one : tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}

// CHECK-LABEL: @zero_integers
// CHECK: %[[C:.*]] = stablehlo.constant dense<0> : tensor<4xi8>
// CHECK: %[[D:.*]] = stablehlo.constant dense<0> : tensor<4xi8>
// CHECK: return %[[C]], %[[D]]
func.func @zero_integers(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi8>
  %0 = stablehlo.multiply %x, %zero : tensor<4xi8>
  %1 = stablehlo.subtract %x, %x : tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// inf * 0 and inf - inf are NaN; the maximum of inf and NaN is NaN.
// CHECK-LABEL: @not_zero_floats
// CHECK: stablehlo.multiply
// CHECK: stablehlo.subtract
// CHECK: stablehlo.maximum
func.func @not_zero_floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %zero : tensor<4xf32>
  %1 = stablehlo.subtract %x, %x : tensor<4xf32>
  %2 = stablehlo.maximum %x, %infinity : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @signs
// CHECK-NEXT: %[[A:.*]] = stablehlo.subtract %arg0, %arg1
// CHECK-NEXT: %[[B:.*]] = stablehlo.add %arg0, %arg1
// CHECK-NEXT: %[[C:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: %[[D:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: %[[E:.*]] = stablehlo.abs %arg0
// CHECK-NEXT: return %[[A]], %[[B]], %arg0, %[[C]], %[[D]], %[[E]]
func.func @signs(%x: tensor<f32>, %y: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %minus_y = stablehlo.negate %y : tensor<f32>
  %0 = stablehlo.add %x, %minus_y : tensor<f32>
  %1 = stablehlo.subtract %x, %minus_y : tensor<f32>
  %minus_x = stablehlo.negate %x : tensor<f32>
  %2 = stablehlo.negate %minus_x : tensor<f32>
  %minus_one = stablehlo.constant dense<-1.0> : tensor<f32>
  %3 = stablehlo.multiply %minus_one, %x : tensor<f32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<f32>
  %4 = stablehlo.subtract %minus_zero, %x : tensor<f32>
  %5 = stablehlo.abs %minus_x : tensor<f32>
  return %0, %1, %2, %3, %4, %5
    : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Integers wrap around, so that constants meet; floats would round differently.
// CHECK-LABEL: @joined
// CHECK: %[[C:.*]] = stablehlo.constant dense<[-126, 3]> : tensor<2xi8>
// CHECK: stablehlo.add %arg0, %[[C]] : tensor<2xi8>
// CHECK: stablehlo.add %arg1
// CHECK: stablehlo.add
func.func @joined(%x: tensor<2xi8>, %y: tensor<2xf32>) -> (tensor<2xi8>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[127, 1]> : tensor<2xi8>
  %d = stablehlo.constant dense<[3, 2]> : tensor<2xi8>
  %0 = stablehlo.add %x, %c : tensor<2xi8>
  %1 = stablehlo.add %d, %0 : tensor<2xi8>
  %e = stablehlo.constant dense<1.0> : tensor<2xf32>
  %2 = stablehlo.add %y, %e : tensor<2xf32>
  %3 = stablehlo.add %2, %e : tensor<2xf32>
  return %1, %3 : tensor<2xi8>, tensor<2xf32>
}

// A square of floats may round otherwise than power does.
// CHECK-LABEL: @powers
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK: %[[SQUARE:.*]] = stablehlo.multiply %arg0, %arg0 : tensor<i32>
// CHECK: %[[POWER:.*]] = stablehlo.power %arg1
// CHECK: return %arg0, %[[ONE]], %[[SQUARE]], %arg1, %[[POWER]]
func.func @powers(%x: tensor<i32>, %y: tensor<f32>)
    -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %unit = stablehlo.constant dense<1.0> : tensor<f32>
  %double = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.power %x, %one : tensor<i32>
  %1 = stablehlo.power %x, %zero : tensor<i32>
  %2 = stablehlo.power %x, %two : tensor<i32>
  %3 = stablehlo.power %y, %unit : tensor<f32>
  %4 = stablehlo.power %y, %double : tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: @others
// CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %[[CEIL:.*]] = stablehlo.ceil %arg1
// CHECK-NEXT: %[[SIGN:.*]] = stablehlo.sign %arg1
// CHECK-NEXT: return %[[ZERO]], %arg0, %[[CEIL]], %[[SIGN]], %arg1
func.func @others(%x: tensor<i32>, %y: tensor<bf16>)
    -> (tensor<i32>, tensor<i32>, tensor<bf16>, tensor<bf16>, tensor<bf16>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.remainder %x, %one : tensor<i32>
  %1 = stablehlo.shift_left %x, %zero : tensor<i32>
  %ceil = stablehlo.ceil %y : tensor<bf16>
  %2 = stablehlo.round_nearest_even %ceil : tensor<bf16>
  %sign = stablehlo.sign %y : tensor<bf16>
  %3 = stablehlo.sign %sign : tensor<bf16>
  %4 = stablehlo.reduce_precision %y, format = e8m7 : tensor<bf16>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<bf16>, tensor<bf16>, tensor<bf16>
}
