// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-partition,shlo-lower-stages{shared})' --split-input-file | FileCheck %s

// The greatest elements and their places, of rows of several lengths: one kernel, which any program may use.
// CHECK: func.func private @stage.0
// CHECK-SAME: kernel.general.[[NAME:[0-9a-f]+]]
// CHECK: func.func private @stage.1
// CHECK-SAME: kernel.general.[[NAME]]
func.func public @rows(%x: tensor<64x1000xi32>, %y: tensor<256x3000xi32>) -> (tensor<64xi32>, tensor<256xi32>) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.iota dim = 1 : tensor<64x1000xi32>
  %1:2 = stablehlo.reduce(%x init: %least), (%0 init: %zero) across dimensions = [1] : (tensor<64x1000xi32>, tensor<64x1000xi32>, tensor<i32>, tensor<i32>) -> (tensor<64xi32>, tensor<64xi32>)
   reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %4 = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.select %4, %a, %c : tensor<i1>, tensor<i32>
    %6 = stablehlo.select %4, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %5, %6 : tensor<i32>, tensor<i32>
  }
  %2 = stablehlo.iota dim = 1 : tensor<256x3000xi32>
  %3:2 = stablehlo.reduce(%y init: %least), (%2 init: %zero) across dimensions = [1] : (tensor<256x3000xi32>, tensor<256x3000xi32>, tensor<i32>, tensor<i32>) -> (tensor<256xi32>, tensor<256xi32>)
   reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %4 = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.select %4, %a, %c : tensor<i1>, tensor<i32>
    %6 = stablehlo.select %4, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %5, %6 : tensor<i32>, tensor<i32>
  }
  return %1#1, %3#1 : tensor<64xi32>, tensor<256xi32>
}

// -----

// Conversions in front and behind belong to it.
// CHECK: func.func private @stage
// CHECK-SAME: kernel.general.
func.func private @stage(%x: tensor<64x100xbf16>) -> (tensor<64xi64>, tensor<64xf64>) attributes {shlo.stage = "reduction"} {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.convert %x : (tensor<64x100xbf16>) -> tensor<64x100xf32>
  %1 = stablehlo.iota dim = 1 : tensor<64x100xi32>
  %2:2 = stablehlo.reduce(%0 init: %least), (%1 init: %zero) across dimensions = [1] : (tensor<64x100xf32>, tensor<64x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %5 = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %a, %c : tensor<i1>, tensor<f32>
    %7 = stablehlo.select %5, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
  }
  %3 = stablehlo.convert %2#1 : (tensor<64xi32>) -> tensor<64xi64>
  %4 = stablehlo.convert %2#0 : (tensor<64xf32>) -> tensor<64xf64>
  return %3, %4 : tensor<64xi64>, tensor<64xf64>
}
func.func public @main(%x: tensor<64x100xbf16>) -> (tensor<64xi64>, tensor<64xf64>) {
  %0:2 = call @stage(%x) : (tensor<64x100xbf16>) -> (tensor<64xi64>, tensor<64xf64>)
  return %0#0, %0#1 : tensor<64xi64>, tensor<64xf64>
}
