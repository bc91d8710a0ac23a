// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// A call of the host is a row of the table; its operands lie in memory, maybe in another shape.
// CHECK: shlo.host_calls = [{
// CHECK-SAME: config = {lower = true}
// CHECK-SAME: target = "shlo.cholesky"
// CHECK-LABEL: func.func private @stage.1
// CHECK-SAME: shlo_rt_call_host
// CHECK-SAME: shlo.stage = "host"
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.cholesky
func.func public @main(%x: tensor<32xf32>) -> tensor<2x4x4xf32> {
  %0 = stablehlo.negate %x : tensor<32xf32>
  %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<2x4x4xf32>
  %2 = stablehlo.cholesky %1, lower = true : tensor<2x4x4xf32>
  return %2 : tensor<2x4x4xf32>
}

// -----

// Transforms are jobs: loop and data, operand and result, the factor, and how rows lie.
// CHECK-NOT: shlo.host_calls
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: [\22shlo_rt_transform\22, 0, 1, null, null], [\22shlo_rt_transform\22, 1, 1, null, null]
// CHECK-SAME: [\22numpy.fft.rfft_n_even.f.loop\22, 0, [\22argument\22, 0, 0], [\22result\22, 0, 0], 1065353216, 11, 11, 1, 88, 96, 88, 96, 22, 12, 4, 8]
// CHECK-SAME: [\22numpy.fft.fft.f.loop\22, \22numpy.fft.fft.f.data\22, [\22result\22, 0, 0], [\22result\22, 0, 0]
func.func public @main(%x: tensor<11x22xf32>) -> tensor<11x12xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [11, 22] : (tensor<11x22xf32>) -> tensor<11x12xcomplex<f32>>
  return %0 : tensor<11x12xcomplex<f32>>
}

// -----

// Views that are no runs of memory are stored for it.
// CHECK-LABEL: func.func public @main
// CHECK: %[[MOVED:.*]] = call @stage.0(%arg0)
// CHECK: call @stage.1(%[[MOVED]])
// CHECK-LABEL: func.func private @stage.1
// CHECK-SAME: shlo.stage = "host"
// CHECK-NEXT: stablehlo.cholesky
func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.cholesky %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// LAPACK is called for each matrix of a batch, on a copy that is left out in place.
// CHECK-NOT: shlo.host_calls
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: [\22shlo_rt_copy\22, 0, 1, 0, null], [\22shlo_rt_routine_iiiipi\22, 1, 3, null, null]
// CHECK-SAME: [\22scipy_LAPACKE_spotrf\22, [\22result\22, 1, 0], 102, 85, 4, [\22result\22, 0, 0], 64, 4]
// CHECK-SAME: \22in_place\22: {{\[\[}}0, [0]]]
func.func public @main(%x: tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x)
    {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}}
    : (tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3x4x4xf32>, tensor<3xi32>
}

// -----

// A call that nobody needs a result of is made, and each one by itself.
// CHECK-LABEL: func.func public @main
// CHECK: call @stage.0(%arg0) : (tensor<2xf32>) -> ()
// CHECK: call @stage.1(%arg0) : (tensor<2xf32>) -> ()
func.func public @main(%x: tensor<2xf32>) {
  stablehlo.custom_call @say(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  stablehlo.custom_call @say(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  return
}

// -----

// What calls back into the program keeps its op.
// CHECK-LABEL: func.func private @computation
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.plain = "stablehlo.custom_call apply"
func.func private @computation(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @apply(%x) {called_computations = [@computation]}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
