// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// A softmax over a middle dimension passes columns once.

// CHECK-LABEL: func.func @softmax(
// CHECK-NEXT:    %[[ALL:.*]] = call @stage.0(%arg0)
// CHECK-NEXT:    return %[[ALL]]
// CHECK:         shlo.stage = "column"
func.func @softmax(%x: tensor<8x16x32xf32>) -> tensor<8x16x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
    : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<8x32xf32>) -> tensor<8x16x32xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<8x16x32xf32>
  %3 = stablehlo.exponential %2 : tensor<8x16x32xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<8x32xf32>) -> tensor<8x16x32xf32>
  %6 = stablehlo.divide %3, %5 : tensor<8x16x32xf32>
  return %6 : tensor<8x16x32xf32>
}

// -----

// Sums of columns that are spread over other dimensions stay a reduction of their own.

// CHECK-LABEL: func.func @apart(
// CHECK-NEXT:    call @stage.0(%arg0)
// CHECK-NEXT:    call @stage.1(%arg0,
// CHECK:         shlo.stage = "reduction"
// CHECK:         shlo.stage = "map"
func.func @apart(%x: tensor<32x32x32xf32>) -> tensor<32x32x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<32x32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<32x32xf32>) -> tensor<32x32x32xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<32x32x32xf32>
  return %2 : tensor<32x32x32xf32>
}

// -----

// Long columns are read in the order they lie in, a pass after the other.

// CHECK-LABEL: func.func @long(
// CHECK-NEXT:    call @stage.0(%arg0)
// CHECK-NEXT:    call @stage.1(%arg0,
// CHECK:         shlo.stage = "reduction"
// CHECK:         shlo.stage = "map"
func.func @long(%x: tensor<8x4096x32xf32>) -> tensor<8x4096x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8x4096x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<8x32xf32>) -> tensor<8x4096x32xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<8x4096x32xf32>
  return %2 : tensor<8x4096x32xf32>
}
