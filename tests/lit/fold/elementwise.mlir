// Exact and correctly rounded operations on constants.
// RUN: %shlo-opt %s --shlo-fold | FileCheck %s

// 127 + 1 wraps; 7 / -2 and its remainder round to zero; -128 >> 1 keeps the sign.
// CHECK-LABEL: @integers
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<[-128, 6]> : tensor<2xi8>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<[-63, -2]> : tensor<2xi8>
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<1> : tensor<2xi8>
// CHECK-NEXT: %[[D:.*]] = stablehlo.constant dense<-64> : tensor<i8>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @integers() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<i8>) {
  %a = stablehlo.constant dense<[127, 5]> : tensor<2xi8>
  %one = stablehlo.constant dense<1> : tensor<2xi8>
  %two = stablehlo.constant dense<-2> : tensor<2xi8>
  %low = stablehlo.constant dense<-128> : tensor<i8>
  %shift = stablehlo.constant dense<1> : tensor<i8>
  %0 = stablehlo.add %a, %one : tensor<2xi8>
  %1 = stablehlo.divide %a, %two : tensor<2xi8>
  %2 = stablehlo.remainder %a, %two : tensor<2xi8>
  %3 = stablehlo.shift_right_arithmetic %low, %shift : tensor<i8>
  return %0, %1, %2, %3 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<i8>
}

// 1/3 in f32 is 0x3EAAAAAB; 1 + 2^-9 is a tie in bf16 and rounds to even; -0 + -0 is -0;
// 300 stops at 127 as i8; 448 * 2 is NaN in f8E4M3FN, which has no infinity.
// CHECK-LABEL: @floats
// CHECK-DAG: stablehlo.constant dense<0.333333343> : tensor<f32>
// CHECK-DAG: stablehlo.constant dense<1.000000e+00> : tensor<bf16>
// CHECK-DAG: stablehlo.constant dense<-0.000000e+00> : tensor<f32>
// CHECK-DAG: stablehlo.constant dense<127> : tensor<i8>
// CHECK-DAG: stablehlo.constant dense<0x7F> : tensor<f8E4M3FN>
// CHECK-DAG: stablehlo.constant dense<1.41421354> : tensor<f32>
// CHECK-NEXT: return
func.func @floats() -> (tensor<f32>, tensor<bf16>, tensor<f32>, tensor<i8>, tensor<f8E4M3FN>, tensor<f32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.divide %one, %three : tensor<f32>
  %unit = stablehlo.constant dense<1.0> : tensor<bf16>
  %little = stablehlo.constant dense<0.001953125> : tensor<bf16>
  %1 = stablehlo.add %unit, %little : tensor<bf16>
  %zero = stablehlo.constant dense<-0.0> : tensor<f32>
  %2 = stablehlo.add %zero, %zero : tensor<f32>
  %many = stablehlo.constant dense<300.0> : tensor<f32>
  %3 = stablehlo.convert %many : (tensor<f32>) -> tensor<i8>
  %most = stablehlo.constant dense<448.0> : tensor<f8E4M3FN>
  %4 = stablehlo.add %most, %most : tensor<f8E4M3FN>
  %5 = stablehlo.sqrt %two : tensor<f32>
  return %0, %1, %2, %3, %4, %5
    : tensor<f32>, tensor<bf16>, tensor<f32>, tensor<i8>, tensor<f8E4M3FN>, tensor<f32>
}

// CHECK-LABEL: @choices
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<2> : tensor<2xi32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @choices() -> (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %1 = stablehlo.select %0, %a, %b : tensor<2xi1>, tensor<2xi32>
  %2 = stablehlo.clamp %two, %a, %two : (tensor<i32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi32>, tensor<2xi32>
}

// Sums of complex numbers are sums of their parts.
// CHECK-LABEL: @complex
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<(4.000000e+00,6.000000e+00)> : tensor<complex<f32>>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @complex() -> (tensor<complex<f32>>, tensor<f32>) {
  %a = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %b = stablehlo.constant dense<(3.0, 4.0)> : tensor<complex<f32>>
  %0 = stablehlo.add %a, %b : tensor<complex<f32>>
  %1 = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
  return %0, %1 : tensor<complex<f32>>, tensor<f32>
}
