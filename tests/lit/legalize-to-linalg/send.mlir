// Refused by name: a compiled program runs alone so far.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --verify-diagnostics

func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{a program that runs alone has no channels; shlo_tools.run_spmd runs it in a grid}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
    : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
