// What has no rule is refused with its name, types and place.
// RUN: %shlo-opt %s --shlo-legalize-chlo --split-input-file --verify-diagnostics

func.func @sizes(%x: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{chlo.scan: its body alone knows the size}}
  %0, %1 = "chlo.scan"(%x, %n) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<1xi32>):
    %d = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %d, %b : tensor<?xf32>, tensor<1xi32>
  }) : (tensor<?xf32>, tensor<1xi32>) -> (tensor<?x?xf32>, tensor<1xi32>)
  return %0 : tensor<?x?xf32>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{there is no form for complex numbers}}
  %0 = chlo.bessel_i1e %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @quantized(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{only tensors of plain numbers are rewritten}}
  %0 = chlo.broadcast_next_after %x, %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @per_axis(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>> {
  // expected-error @+1 {{multiply takes tensors quantized as a whole only}}
  %0 = chlo.broadcast_multiply %x, %x : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return %0 : tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
}
