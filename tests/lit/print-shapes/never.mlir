// What contradicts itself in a branch fails when it runs, which it may never do.
// RUN: %shlo-opt %s --shlo-print-shapes -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: stablehlo.add -> tensor<(add.0)xf32>
// CHECK: note: fails if it runs: (C1) operands differ in type: tensor<(arg0.0)xf32> and tensor<(arg0.0 + 1)xf32>
func.func @main(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %0 = "stablehlo.if"(%p) ({
    %more = stablehlo.concatenate %x, %one, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %bad = stablehlo.add %x, %more : tensor<?xf32>
    stablehlo.return %bad : tensor<?xf32>
  }, {
    stablehlo.return %x : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
