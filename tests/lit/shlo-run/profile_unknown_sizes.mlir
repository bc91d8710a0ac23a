// A program of unknown sizes has no stages, and its memory is known when it is called.

// RUN: %shlo-run %s --input=4xf32=1 --profile | FileCheck %s
// CHECK: result0
// CHECK: stages: none
// CHECK-NEXT: memory of a call: known when it is called

func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
