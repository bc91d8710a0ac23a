// What has no rule is refused with its name, types and place.
// RUN: %shlo-opt %s --shlo-legalize-chlo --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{not supported: chlo.erf (tensor<?xf32>) -> tensor<?xf32>: its shapes must be static}}
  %0 = chlo.erf %x : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
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
