// RUN: %shlo-bench %s --repeats=1 --rounds=1 | FileCheck %s
// RUN: not %shlo-bench %s --against=tvm 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %shlo-bench %s --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cp %s %t.kept.mlir
// RUN: not %shlo-bench %t.kept.mlir --json=%t.kept.mlir 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: diff %s %t.kept.mlir

// CHECK: engine compile ratio run fastest slowest ratio share of limit difference
// CHECK-NEXT: shlo-tools {{[0-9.]+}} {{us|ms}} - {{[0-9.]+}} us {{.*}} %
// NONE: 'tvm' is no engine; there are xla, iree
// SHAPE: error: {{.*}}argument 0
// OVER: error: --json={{.*}}.kept.mlir would be written over the input

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
