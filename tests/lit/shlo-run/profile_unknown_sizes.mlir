// What a program of unknown sizes was compiled to, and what that became for those of a call.

// RUN: %shlo-run %s --input=4xf32=1 --profile | FileCheck %s
// CHECK: result0
// CHECK: stages of unknown sizes: 2, 1 lowered for the sizes of a call
// CHECK-NEXT: 1 lowered for the sizes of a call: stablehlo.sort of unknown sizes
// CHECK-NEXT: stages: 2 distinct ones, 0 without a kernel
// CHECK-NEXT: memory of a call: {{.*}} bytes of temporaries, 16 of results

// RUN: %shlo-run %s --function=data --input=1xi32=[5] --profile | FileCheck %s --check-prefix=DATA
// DATA: stages: none
// DATA-NEXT: memory of a call: known when it is called

func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.tanh %x : tensor<?xf32>
  %1 = "stablehlo.sort"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func public @data(%n: tensor<1xi32>) -> tensor<?xi32> {
  %m = stablehlo.popcnt %n : tensor<1xi32>
  %0 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
