// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Both words of each counter are neighbours in memory: vectors are shuffled and stored in a row.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "random"
// CHECK-NOT: masked.scatter
// CHECK: llvm.shufflevector
func.func public @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<4096xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4096xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<4096xui32>
}

// -----

// They are neighbours along a dimension of odd size, and rows are short.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "random"
// CHECK: llvm.intr.masked.scatter
func.func public @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<33x3xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<33x3xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<33x3xui32>
}

// -----

// Numbers are made of their places; which op it is stands in the key.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "map"
// CHECK: shlo.place = 0
// CHECK-LABEL: func.func private @stage.1
// CHECK: shlo.place = 1
func.func public @main(%a: tensor<f32>, %s: tensor<1xi64>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = "stablehlo.rng"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
  %1 = "stablehlo.rng"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
  return %0, %1 : tensor<9xf32>, tensor<9xf32>
}
