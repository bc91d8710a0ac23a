// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @forward_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x8xf32>)
// CHECK: %[[HALF:.*]] = tensor.empty() : tensor<2x5x5xcomplex<f32>>
// CHECK: %[[Y:.*]] = call @[[RFFT:shlo.host.[0-9]+]](%[[HALF]], %[[X]])
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<2x5x8xf32>
// CHECK: call @[[IRFFT:shlo.host.[0-9]+]](%[[OUT]], %[[Y]])
func.func @forward_and_back(%x: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %0 = stablehlo.fft %x, type = RFFT, length = [5, 8]
    : (tensor<2x5x8xf32>) -> tensor<2x5x5xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [5, 8]
    : (tensor<2x5x5xcomplex<f32>>) -> tensor<2x5x8xf32>
  return %1 : tensor<2x5x8xf32>
}

// Equal transforms share one kernel.
// CHECK-LABEL: @twice(
// CHECK: call @[[FFT:shlo.host.[0-9]+]](
// CHECK: call @[[FFT]](
func.func @twice(%x: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %1 = stablehlo.fft %0, type = FFT, length = [4] : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  return %1 : tensor<4xcomplex<f64>>
}

// CHECK: func.func private @[[RFFT]]
// CHECK-SAME: config = {fft_length = array<i64: 5, 8>, fft_type = "RFFT"}
// CHECK-SAME: target = "shlo.fft"
// CHECK: func.func private @[[IRFFT]]
// CHECK-SAME: fft_type = "IRFFT"
