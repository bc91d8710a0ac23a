// A program is the same after serializing and deserializing, byte for byte.
// RUN: stablehlo-opt %s > %t.1
// RUN: stablehlo-translate --serialize --target=current %s | stablehlo-translate --deserialize | stablehlo-opt > %t.0
// RUN: diff %t.0 %t.1

// Translations chain.
// RUN: stablehlo-translate --serialize --target=current --deserialize %s > %t.2
// RUN: diff %t.1 %t.2

// Bytecode is taken wherever text is.
// RUN: stablehlo-opt -emit-bytecode %s | stablehlo-translate -serialize -target=current - | stablehlo-opt > %t.3
// RUN: diff %t.1 %t.3

// The same artifact comes of an artifact.
// RUN: stablehlo-translate --serialize --target=1.9.0 --strip-debuginfo %s > %t.4
// RUN: stablehlo-translate --serialize --target=1.9.0 --strip-debuginfo %t.4 | diff %t.4 -
module @round_trip attributes {my.attribute = "kept"} {
  func.func public @main(%arg0: tensor<2x?xf32> {my.name = "x"}, %arg1: tensor<f32>) -> (tensor<2xf32> {my.name = "y"}) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @twice(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
