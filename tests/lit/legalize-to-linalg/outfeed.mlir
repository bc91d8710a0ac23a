// Refused by name: a compiled program runs alone so far.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --verify-diagnostics

func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{a compiled program has no outfeed; the reference interpreter simulates them}}
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
