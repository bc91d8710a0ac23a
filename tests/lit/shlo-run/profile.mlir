// What a program was compiled to: its stages, those without a kernel, and the memory of a call.

// RUN: %shlo-run %s --input=64xf32=1 --profile | FileCheck %s
// CHECK: result0: tensor<64xf32>
// CHECK: stages: 1 distinct ones, 0 without a kernel
// CHECK-NEXT: memory of a call: 0 bytes of temporaries, 256 of results, 524,288 of scratch memory for each thread

// RUN: %shlo-run %s --function=solved --input=random:0 --profile | FileCheck %s --check-prefix=SOLVED
// SOLVED: stages: 2 distinct ones, 0 without a kernel
// SOLVED-NEXT: memory of a call: {{.*}} bytes of temporaries, 64 of results

// RUN: not %shlo-run %s --input=64xf32=1 --profile --check-nans 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: --profile tells of native code without probes and checks

func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.tanh %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func public @solved(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
