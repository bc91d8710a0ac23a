// Refused by name: a compiled program runs alone so far.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --verify-diagnostics

func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{a compiled program has no channels; the reference interpreter simulates them}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
    : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
