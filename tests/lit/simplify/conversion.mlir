// Conversions go where they change no number.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @convert
// CHECK-NEXT: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<f16>) -> tensor<f64>
// CHECK-NEXT: %[[B:.*]] = stablehlo.convert %arg0 : (tensor<f16>) -> tensor<i32>
// CHECK-NEXT: return %arg0, %arg0, %[[A]], %[[B]]
func.func @convert(%x: tensor<f16>) -> (tensor<f16>, tensor<f16>, tensor<f64>, tensor<i32>) {
  %0 = stablehlo.convert %x : (tensor<f16>) -> tensor<f16>
  %wide = stablehlo.convert %x : (tensor<f16>) -> tensor<f32>
  %1 = stablehlo.convert %wide : (tensor<f32>) -> tensor<f16>
  %2 = stablehlo.convert %wide : (tensor<f32>) -> tensor<f64>
  %3 = stablehlo.convert %wide : (tensor<f32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<f16>, tensor<f16>, tensor<f64>, tensor<i32>
}

// f64 -> f32 -> bf16 rounds twice; f32 has not all i32; i16 300 wraps to 44 as i8, as a float it
// stops at 127.
// CHECK-LABEL: @rounding
// CHECK-COUNT-6: stablehlo.convert
// CHECK: return
func.func @rounding(%x: tensor<f64>, %y: tensor<i32>, %z: tensor<i16>)
    -> (tensor<bf16>, tensor<i32>, tensor<i8>) {
  %a = stablehlo.convert %x : (tensor<f64>) -> tensor<f32>
  %0 = stablehlo.convert %a : (tensor<f32>) -> tensor<bf16>
  %b = stablehlo.convert %y : (tensor<i32>) -> tensor<f32>
  %1 = stablehlo.convert %b : (tensor<f32>) -> tensor<i32>
  %c = stablehlo.convert %z : (tensor<i16>) -> tensor<f32>
  %2 = stablehlo.convert %c : (tensor<f32>) -> tensor<i8>
  return %0, %1, %2 : tensor<bf16>, tensor<i32>, tensor<i8>
}

// CHECK-LABEL: @bitcast
// CHECK-NEXT: %[[A:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2xui32>
// CHECK-NEXT: return %arg0, %[[A]]
func.func @bitcast(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xui32>) {
  %a = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>
  %0 = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2xf32>
  %1 = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2xui32>
  return %0, %1 : tensor<2xf32>, tensor<2xui32>
}
