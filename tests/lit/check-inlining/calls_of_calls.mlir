// Calls of calls double what they call: what is far too much is refused before it is inlined.
// RUN: %shlo-opt %s --split-input-file --verify-diagnostics --shlo-check-inlining

// Two copies are not many.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @inner(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @inner(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f0(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f1(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f1(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f1(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f1(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f1(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f1(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f1(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f1(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
// expected-error@+1 {{inlined, the calls of @f1 make 112346 ops of 52, more than 65536}}
func.func private @f1(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f2(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f2(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f2(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f2(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f2(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f2(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f2(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f2(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func private @f2(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f3(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f3(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f3(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f3(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f3(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f3(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f3(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f3(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func private @f3(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f4(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f4(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f4(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f4(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f4(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f4(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f4(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f4(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func private @f4(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f5(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f5(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f5(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f5(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f5(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f5(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f5(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f5(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func private @f5(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f6(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f6(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f6(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f6(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f6(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f6(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f6(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f6(%6) : (tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func private @f6(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
