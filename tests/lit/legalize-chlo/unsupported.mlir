// What has no rule is refused with its name, types and place.
// RUN: %shlo-opt %s --shlo-legalize-chlo --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?x3xf32>, %y: tensor<2x3x4xf32>, %n: tensor<2xi32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{its shapes must be static}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<?x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{there is no form for complex numbers}}
  %0 = chlo.bessel_i1e %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @exponents(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // expected-error @+1 {{f8E8M0FNU has no bits to count with}}
  %0 = chlo.next_after %x, %x : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU> -> tensor<4xf8E8M0FNU>
  return %0 : tensor<4xf8E8M0FNU>
}
