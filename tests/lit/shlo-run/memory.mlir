// What is in memory when.

// RUN: %shlo-run %s --input=random:0 --memory --output=%t.npz | FileCheck %s
// CHECK: {{.*}} bytes of temporaries, 512 of results, {{.*}}; {{.*}} bytes of temporaries are in use at most
// CHECK-NEXT: step alive of peak stage where in use
// CHECK-NEXT: 1 {{.*}} stage.0 {{.*}}memory.mlir:{{[0-9]+}}:8 {{.*}}1#0 76.8k
// CHECK-NEXT: 2 {{.*}} stage.1 {{.*}}memory.mlir:{{[0-9]+}}:8 {{.*}}1#0 76.8k{{.*}}2#0 512 (in result 0)

// RUN: not %shlo-run %s --input=random:0 --memory=%t.pdf 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: error: --memory={{.*}}.pdf: the name must end in .png or .svg

// RUN: not %shlo-run %s --input=random:0 --memory --backend=reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: error: --memory tells of native code without probes and checks

// RUN: not %shlo-run %s --function=data --input=1xi32=[5] --memory 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: error: --memory: how much memory a call takes, it finds out on its way

// RUN: not %shlo-run %s --function=sized --memory 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: --memory: how much memory a call takes depends on its sizes
// OPEN-NEXT: hint: arguments say them: --input=VALUE

// RUN: %shlo-run %s --function=sized --input=64x300xf32=random:0 --memory --output=%t.npz | FileCheck %s --check-prefix=SIZED
// SIZED: bytes of temporaries, 76,800 of results

func.func public @main(%x: tensor<64x300xf32>, %w: tensor<300x300xf32>, %v: tensor<300x2xf32>) -> tensor<64x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x300xf32>, tensor<300x300xf32>) -> tensor<64x300xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<64x300xf32>, tensor<300x2xf32>) -> tensor<64x2xf32>
  return %1 : tensor<64x2xf32>
}

func.func public @sized(%x: tensor<?x300xf32>) -> tensor<?x300xf32> {
  %0 = stablehlo.tanh %x : tensor<?x300xf32>
  return %0 : tensor<?x300xf32>
}

func.func public @data(%n: tensor<1xi32>) -> tensor<?xi32> {
  %m = stablehlo.popcnt %n : tensor<1xi32>
  %0 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
