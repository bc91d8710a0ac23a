// Refused by name: a compiled program runs alone so far.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --verify-diagnostics

func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{a program that runs alone has no infeed; shlo_tools.run_spmd runs it in a grid}}
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
