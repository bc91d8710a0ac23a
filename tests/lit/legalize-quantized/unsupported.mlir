// What is not rewritten is refused with its name, types and place.
// RUN: %shlo-opt %s --shlo-legalize-quantized --split-input-file --verify-diagnostics

// expected-error @+1 {{only !quant.uniform per tensor or per axis is supported}}
func.func @sub_channel(%x: tensor<2x!quant.uniform<i8:f32:{0:1}, {0.5, 0.25}>>) {
  return
}

// -----

// expected-error @+1 {{tensor<2x!quant.any<i8:f32>>}}
func.func @any(%x: tensor<2x!quant.any<i8:f32>>) {
  return
}

// -----

// The same integers would stand for other numbers.
!q = !quant.uniform<i8:f32, 0.5>
!p = !quant.uniform<i8:f32, 0.25>
func.func @sharding(%x: tensor<2x!q>) -> tensor<2x!p> {
  // expected-error @+1 {{'Sharding' hands tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> on as tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>}}
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2x!q>) -> tensor<2x!p>
  return %0 : tensor<2x!p>
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @other_dialect(%x: tensor<2xf32>) -> tensor<2x!q> {
  // expected-error @+1 {{quant.qcast (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>: it is not rewritten}}
  %0 = quant.qcast %x : tensor<2xf32> to tensor<2x!q>
  return %0 : tensor<2x!q>
}

// -----

// The same integers would stand for other numbers.
!q = !quant.uniform<i8:f32, 0.5>
!p = !quant.uniform<i8:f32, 0.25>
func.func @another_scale(%x: tensor<2x!q>, %p: tensor<i1>) -> tensor<2x!p> {
  // expected-error @+1 {{tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> is carried as tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x!q>
  }, {
    stablehlo.return %x : tensor<2x!q>
  }) : (tensor<i1>) -> tensor<2x!p>
  return %0 : tensor<2x!p>
}
