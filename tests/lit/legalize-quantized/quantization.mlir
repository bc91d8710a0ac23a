// Conversions: (integer - zero point) * scale, and back with a clamp before the rounding.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8<-100:90>:f32, 0.5:3>
!zero = !quant.uniform<i8:f32, 0.5>
!wide = !quant.uniform<i32:f32, 0.5:3>
!axis = !quant.uniform<u8:f32:1, {0.5:3, 2.0}>

// CHECK-LABEL: @quantize
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>) -> tensor<2xi8>
// CHECK: %[[SCALE:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK: %[[SCALED:.*]] = stablehlo.divide %[[X]], %[[SCALE]]
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[SHIFTED:.*]] = stablehlo.add %[[SCALED]], %[[ZERO]]
// CHECK: %[[LOW:.*]] = stablehlo.constant dense<-1.000000e+02> : tensor<f32>
// CHECK: %[[HIGH:.*]] = stablehlo.constant dense<9.000000e+01> : tensor<f32>
// CHECK: %[[CLAMPED:.*]] = stablehlo.clamp %[[LOW]], %[[SHIFTED]], %[[HIGH]]
// CHECK: %[[WHOLE:.*]] = stablehlo.round_nearest_even %[[CLAMPED]]
// CHECK: stablehlo.convert %[[WHOLE]] : (tensor<2xf32>) -> tensor<2xi8>
func.func @quantize(%x: tensor<2xf32>) -> tensor<2x!q> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// The zero point is subtracted where the difference fits.
// CHECK-LABEL: @dequantize
// CHECK: %[[INTEGERS:.*]] = stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xi32>
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<3> : tensor<2xi32>
// CHECK: %[[DIFFERENCE:.*]] = stablehlo.subtract %[[INTEGERS]], %[[ZERO]]
// CHECK: %[[NUMBERS:.*]] = stablehlo.convert %[[DIFFERENCE]] : (tensor<2xi32>) -> tensor<2xf32>
// CHECK: %[[SCALE:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK: stablehlo.multiply %[[NUMBERS]], %[[SCALE]]
func.func @dequantize(%x: tensor<2x!q>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!q>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @wide_storage
// CHECK: stablehlo.convert %arg0 : (tensor<2xi32>) -> tensor<2xi64>
// CHECK: stablehlo.subtract {{.*}} : tensor<2xi64>
func.func @wide_storage(%x: tensor<2x!wide>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!wide>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A zero point of 0 costs nothing.
// CHECK-LABEL: @no_zero_point
// CHECK-NOT: stablehlo.subtract
// CHECK: stablehlo.multiply
// CHECK-NOT: stablehlo.add
// CHECK: return
func.func @no_zero_point(%x: tensor<2x!zero>) -> tensor<2x!zero> {
  %0 = stablehlo.negate %x : tensor<2x!zero>
  return %0 : tensor<2x!zero>
}

// CHECK-LABEL: @along_an_axis
// CHECK-SAME: -> tensor<3x2xui8>
// CHECK: %[[SCALES:.*]] = stablehlo.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[SCALES]], dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.divide %arg0, %[[SPREAD]]
// CHECK: stablehlo.constant dense<[3.000000e+00, 0.000000e+00]> : tensor<2xf32>
func.func @along_an_axis(%x: tensor<3x2xf32>) -> tensor<3x2x!axis> {
  %0 = stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x!axis>
  return %0 : tensor<3x2x!axis>
}

// From one quantized type to another through numbers.
// CHECK-LABEL: @requantize
// CHECK: stablehlo.multiply
// CHECK: stablehlo.divide
// CHECK: stablehlo.round_nearest_even
// CHECK: stablehlo.convert {{.*}} : (tensor<2xf32>) -> tensor<2xi8>
func.func @requantize(%x: tensor<2x!q>) -> tensor<2x!zero> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x!q>) -> tensor<2x!zero>
  return %0 : tensor<2x!zero>
}

// dequantize_op_quantize
// CHECK-LABEL: @computes
// CHECK-COUNT-2: stablehlo.multiply
// CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<2xf32>
// CHECK: stablehlo.divide %[[SUM]]
// CHECK: stablehlo.round_nearest_even
func.func @computes(%x: tensor<2x!q>, %y: tensor<2x!q>) -> tensor<2x!q> {
  %0 = stablehlo.add %x, %y : tensor<2x!q>
  return %0 : tensor<2x!q>
}

// Ops without quantized operands or results stay as they are.
// CHECK-LABEL: @others
// CHECK: stablehlo.add %arg0, %arg0 : tensor<2xf32>
// CHECK-NEXT: return
func.func @others(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
