// What a program was compiled to: its stages, those without a kernel, and the memory of a call.

// RUN: %shlo-run %s --input=64xf32=1 --profile | FileCheck %s
// CHECK: result0: tensor<64xf32>
// CHECK: stages: 1 distinct ones, 0 without a kernel
// CHECK-NEXT: memory of a call: 0 bytes of temporaries, 256 of results, 524,288 of scratch memory for each thread
// CHECK: @main: {{.*}} a call, the median of 10 calls, {{.*}}; this machine: {{.*}} GFLOP/s, {{.*}} GB/s
// CHECK-NEXT: time {{.*}}share {{.*}}runs {{.*}}bytes {{.*}}flops {{.*}}GB/s {{.*}}GFLOP/s {{.*}}of limit {{.*}}stage {{.*}}where {{.*}}ops
// CHECK-NEXT: 1 512 64 {{.*}} stage.0 {{.*}}profile.mlir:{{[0-9]+}}:8 tanh
// CHECK-NEXT: between

// RUN: %shlo-run %s --function=twice --input=random:0 --repeat=3 --profile | FileCheck %s --check-prefix=TWICE
// TWICE: @twice: {{.*}} the median of 3 calls
// TWICE-NEXT: time
// TWICE-NEXT: 2 {{.*}} stage.0 {{.*}}profile.mlir:{{[0-9]+}}:8 dot_general, tanh
// TWICE: @twice
// TWICE-NEXT: time
// TWICE-NEXT: 1 {{.*}} stage.0 {{.*}}profile.mlir:{{[0-9]+}}:8 dot_general, tanh
// TWICE-NEXT: 1 {{.*}} stage.0 {{.*}}profile.mlir:{{[0-9]+}}:8 dot_general, tanh
// TWICE: between

// RUN: %shlo-run %s --input=64xf32=1 --trace=%t.json | FileCheck %s --check-prefix=TRACE
// RUN: python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// TRACE: result0
// TRACE: 3 events are in {{.*}}.json
// JSON: "name": "thread_name"
// JSON: "cat": "stage"
// JSON: "cat": "job"
// JSON: "cat": "chunk"

// RUN: not %shlo-run %s --input=64xf32=1 --trace=%t.none/trace.json 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write {{.*}}trace.json

// RUN: not %shlo-run %s --input=64xf32=1 --trace=%t.json --backend=reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: --trace tells of native code without probes and checks

// RUN: %shlo-run %s --function=solved --input=random:0 --profile | FileCheck %s --check-prefix=SOLVED
// SOLVED: stages: 2 distinct ones, 0 without a kernel
// SOLVED-NEXT: memory of a call: {{.*}} bytes of temporaries, 64 of results

// RUN: not %shlo-run %s --input=64xf32=1 --profile --check-nans 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: --profile tells of native code without probes and checks

func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.tanh %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func public @twice(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.tanh %0 : tensor<256x256xf32>
  %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = stablehlo.tanh %2 : tensor<256x256xf32>
  return %3 : tensor<256x256xf32>
}

func.func public @solved(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
