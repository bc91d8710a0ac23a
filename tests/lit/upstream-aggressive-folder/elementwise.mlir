// What is folded of each element, and what is left alone.
// RUN: stablehlo-opt %s -stablehlo-aggressive-folder -split-input-file | FileCheck %s
// RUN: stablehlo-opt %s -stablehlo-aggressive-folder=optimize-float=false -split-input-file | FileCheck %s --check-prefix=NOFLOAT

// Integers wrap around, and one bit is an integer: true + true is false.
// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: %[[SUM:.+]] = stablehlo.constant dense<[-128, 3]> : tensor<2xi8>
// CHECK-DAG: %[[BITS:.+]] = stablehlo.constant dense<false> : tensor<i1>
// CHECK-DAG: %[[FLOATS:.+]] = stablehlo.constant dense<[2.500000e+00, 0x7F800000]> : tensor<2xf32>
// CHECK-NOT: stablehlo.add
// CHECK: return %[[SUM]], %[[BITS]], %[[FLOATS]]
// NOFLOAT-LABEL: func.func @arithmetic
// NOFLOAT-COUNT-1: stablehlo.add
// NOFLOAT-NOT: stablehlo.add
func.func @arithmetic() -> (tensor<2xi8>, tensor<i1>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[127, 1]> : tensor<2xi8>
  %b = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %0 = stablehlo.add %a, %b : tensor<2xi8>
  %c = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.add %c, %c : tensor<i1>
  %d = stablehlo.constant dense<[1.0, 3.0e38]> : tensor<2xf32>
  %e = stablehlo.constant dense<[1.5, 3.0e38]> : tensor<2xf32>
  %2 = stablehlo.add %d, %e : tensor<2xf32>
  return %0, %1, %2 : tensor<2xi8>, tensor<i1>, tensor<2xf32>
}

// -----

// A zero anywhere in an integer divisor keeps the division.
// CHECK-LABEL: func.func @division
// CHECK-DAG: %[[QUOTIENT:.+]] = stablehlo.constant dense<[-3, 2]> : tensor<2xi32>
// CHECK-DAG: %[[REST:.+]] = stablehlo.constant dense<[-1, 1]> : tensor<2xi32>
// CHECK-DAG: %[[INF:.+]] = stablehlo.constant dense<0x7F800000> : tensor<f32>
// CHECK: %[[LEFT:.+]] = stablehlo.divide
// CHECK-NOT: stablehlo.divide
// CHECK: return %[[QUOTIENT]], %[[REST]], %[[LEFT]], %[[INF]]
func.func @division() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<f32>) {
  %a = stablehlo.constant dense<[-7, 7]> : tensor<2xi32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %z = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = stablehlo.divide %a, %b : tensor<2xi32>
  %1 = stablehlo.remainder %a, %b : tensor<2xi32>
  %2 = stablehlo.divide %a, %z : tensor<2xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.divide %one, %zero : tensor<f32>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<f32>
}

// -----

// Scalar bounds do not fold with a tensor; of one type they do.
// CHECK-LABEL: func.func @clamp
// CHECK-DAG: %[[CLAMPED:.+]] = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
// CHECK: %[[LEFT:.+]] = stablehlo.clamp
// CHECK: return %[[CLAMPED]], %[[LEFT]]
func.func @clamp() -> (tensor<3xi32>, tensor<3xi32>) {
  %x = stablehlo.constant dense<[0, 2, 4]> : tensor<3xi32>
  %l = stablehlo.constant dense<1> : tensor<3xi32>
  %h = stablehlo.constant dense<3> : tensor<3xi32>
  %0 = stablehlo.clamp %l, %x, %h : tensor<3xi32>
  %sl = stablehlo.constant dense<1> : tensor<i32>
  %sh = stablehlo.constant dense<3> : tensor<i32>
  %1 = stablehlo.clamp %sl, %x, %sh : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}

// -----

// Comparisons give bits: floats are compared without optimize-float as well.
// CHECK-LABEL: func.func @compare
// CHECK-DAG: %[[SIGNED:.+]] = stablehlo.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG: %[[FLOAT:.+]] = stablehlo.constant dense<false> : tensor<i1>
// CHECK: return %[[SIGNED]], %[[FLOAT]]
// NOFLOAT-LABEL: func.func @compare
// NOFLOAT-NOT: stablehlo.compare
func.func @compare() -> (tensor<2xi1>, tensor<i1>) {
  %a = stablehlo.constant dense<[-1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %1 = stablehlo.compare EQ, %nan, %nan, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1 : tensor<2xi1>, tensor<i1>
}

// -----

// log and rsqrt want elements above 0, sqrt from 0 on; the others take all. e is 2.718281828...
// CHECK-LABEL: func.func @functions
// CHECK-DAG: %[[E:.+]] = stablehlo.constant dense<2.71828175> : tensor<f32>
// CHECK-DAG: %[[ZERO:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[TWO:.+]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK: %[[LOG:.+]] = stablehlo.log %[[ZERO]]
// CHECK: %[[FLOOR:.+]] = stablehlo.floor
// CHECK: return %[[E]], %[[ZERO]], %[[LOG]], %[[TWO]], %[[FLOOR]]
// NOFLOAT-LABEL: func.func @functions
// NOFLOAT-NOT: stablehlo.exponential
func.func @functions() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<f32>
  %0 = stablehlo.exponential %one : tensor<f32>
  %1 = stablehlo.log %one : tensor<f32>
  %2 = stablehlo.log %zero : tensor<f32>
  %3 = stablehlo.sqrt %four : tensor<f32>
  %4 = stablehlo.floor %four : tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Infinities, NaNs, -0 and what is out of range become no integers.
// CHECK-LABEL: func.func @convert
// CHECK-DAG: %[[WHOLE:.+]] = stablehlo.constant dense<[1, -2]> : tensor<2xi8>
// CHECK-DAG: %[[BITS:.+]] = stablehlo.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG: %[[WRAPPED:.+]] = stablehlo.constant dense<44> : tensor<i8>
// CHECK: %[[MINUS:.+]] = stablehlo.convert
// CHECK: %[[LARGE:.+]] = stablehlo.convert
// CHECK: return %[[WHOLE]], %[[BITS]], %[[WRAPPED]], %[[MINUS]], %[[LARGE]]
func.func @convert() -> (tensor<2xi8>, tensor<2xi1>, tensor<i8>, tensor<i8>, tensor<i8>) {
  %a = stablehlo.constant dense<[1.9, -2.9]> : tensor<2xf32>
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>
  %b = stablehlo.constant dense<[0x7FC00000, 0.0]> : tensor<2xf32>
  %1 = stablehlo.convert %b : (tensor<2xf32>) -> tensor<2xi1>
  %c = stablehlo.constant dense<300> : tensor<i32>
  %2 = stablehlo.convert %c : (tensor<i32>) -> tensor<i8>
  %d = stablehlo.constant dense<-0.0> : tensor<f32>
  %3 = stablehlo.convert %d : (tensor<f32>) -> tensor<i8>
  %e = stablehlo.constant dense<128.0> : tensor<f32>
  %4 = stablehlo.convert %e : (tensor<f32>) -> tensor<i8>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi1>, tensor<i8>, tensor<i8>, tensor<i8>
}

// -----

// Zero of either sign has the sign 0; NaN and unsigned numbers have none here.
// CHECK-LABEL: func.func @sign
// CHECK-DAG: %[[SIGNS:.+]] = stablehlo.constant dense<[-1.000000e+00, 0.000000e+00, 1.000000e+00]> : tensor<3xf32>
// CHECK: %[[NAN:.+]] = stablehlo.sign
// CHECK: return %[[SIGNS]], %[[NAN]]
func.func @sign() -> (tensor<3xf32>, tensor<f32>) {
  %a = stablehlo.constant dense<[-2.5, -0.0, 7.0]> : tensor<3xf32>
  %0 = stablehlo.sign %a : tensor<3xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %1 = stablehlo.sign %nan : tensor<f32>
  return %0, %1 : tensor<3xf32>, tensor<f32>
}
