// What does not fit is refused with its place; ops that nothing replaces stay.
// RUN: %shlo-opt %s --shlo-legalize-deprecated --split-input-file --verify-diagnostics

func.func @sizes(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+1 {{stablehlo.einsum: (C3) 'j' has sizes 3 and 4}}
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik"
    : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

func.func @letters(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{stablehlo.unary_einsum: (C2) 'i' names the dimensions of an operand of rank 2}}
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "i->i"} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @result(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{stablehlo.unary_einsum: (C4) tensor<3xf32> is not 'ij->i'}}
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ij->i"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @syntax(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{stablehlo.unary_einsum: (C1) 'i.j->j' is not understood}}
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "i.j->j"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
!p = !quant.uniform<i8:f32, 0.25>
func.func @another_scale(%a: tensor<2x3x!q>, %i: tensor<2xi32>) -> tensor<2x3x!p> {
  // expected-error @+1 {{elements are placed as they are, of one scale}}
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64}
    : (tensor<2x3x!q>, tensor<2xi32>) -> tensor<2x3x!p>
  return %0 : tensor<2x3x!p>
}

// -----

func.func @nothing(%a: tensor<0x3xf32>, %i: tensor<2xi32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{there is nothing along dimension 0 to select}}
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64}
    : (tensor<0x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @negative(%a: tensor<5x3xf32>, %i: tensor<2xi32>) -> tensor<5x2xf32> {
  // expected-error @+1 {{stablehlo.torch_index_select: dim = -1, batch_dims = 0 on tensor<5x3xf32>}}
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = -1 : i64, batch_dims = 0 : i64}
    : (tensor<5x3xf32>, tensor<2xi32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
