// An endless loop ends when its time is up, with one line and no file.

// RUN: not %shlo-run %s --input=1 --timeout=0.2 --output=%t.npz 2>&1 | FileCheck %s
// RUN: not test -e %t.npz
// CHECK: error: stopped after 0.2 seconds while running @main
// CHECK-NOT: {{.}}

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      stablehlo.return %true : tensor<i1>
    } do {
      %next = stablehlo.add %i, %x : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  return %0 : tensor<i32>
}
