// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages | FileCheck %s

// What takes the greatest element and its place, of lanes: the greatest of all first, and then the
// first place among those that have it, or are NaN as it is. Numbers are compared once.
// CHECK-LABEL: llvm.func internal @stage.0
// CHECK: llvm.cond_br
// CHECK: ^[[BODY:.*]](
// CHECK: llvm.intr.masked.load
// CHECK: llvm.cond_br
// CHECK: llvm.shufflevector
// CHECK-NOT: llvm.icmp
// CHECK: llvm.fcmp "oeq"
// CHECK-NOT: llvm.icmp
// CHECK: llvm.intr.vector.reduce.smin
func.func public @main(%x: tensor<64x1000xf32>) -> tensor<64xi32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.iota dim = 1 : tensor<64x1000xi32>
  %1:2 = stablehlo.reduce(%x init: %least), (%0 init: %zero) across dimensions = [1] : (tensor<64x1000xf32>, tensor<64x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %2 = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %a, %c : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
  }
  return %1#1 : tensor<64xi32>
}
