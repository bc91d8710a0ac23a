// Native values are compared with the reference's, op by op.

// RUN: %shlo-run %s --input=1 --input=random:1 --compare=reference | FileCheck %s
// CHECK: 10 values of 8 ops were compared
// CHECK: result0 {{agrees|differs}}

// No sum of so many numbers is exact: with no tolerance at all, the first op to differ is the sum.
// It is saved with its inputs as a test.
// RUN: rm -rf %t && mkdir %t
// RUN: not %shlo-run %s --input=1 --input=random:1 --compare=reference --rtol=0 --atol=0 \
// RUN:   --save-to=%t 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: model.py:5:1: error: stablehlo.reduce (tensor<99999xf32>, tensor<f32>) -> tensor<f32>: native and reference differ
// SUM-NEXT: note: result0 differs: 1 of 1 elements beyond 0 + 0 * |expected|
// SUM-NEXT: first at []: got {{.*}}, expected
// SUM: note: saved as a test with its inputs: {{.*}}compare-stablehlo.reduce.mlir
// SUM-NEXT: note: %{{.*}} = stablehlo.reduce
// SUM-NEXT: note: named 'jit(f)/sum'
// SUM-NEXT: note: 10 values of 8 ops were compared

// RUN: FileCheck %s --check-prefix=TEST < %t/compare-stablehlo.reduce.mlir
// TEST: model.py:5:1; found by shlo-run --compare=reference
// TEST: R{{UN}}: %{{s}}hlo-run %{{s}} --input=@%{{S}}/compare-stablehlo.reduce.npz --expected-output=@%{{S}}/compare-stablehlo.reduce.npz --rtol=0.0 --atol=0.0
// TEST: func.func @main(%arg0: tensor<99999xf32>, %arg1: tensor<f32>) -> tensor<f32> {
// TEST-NEXT: %0 = stablehlo.reduce
// TEST-NEXT: return %0

// RUN: not %shlo-run %t/compare-stablehlo.reduce.mlir --input=@%t/compare-stablehlo.reduce.npz \
// RUN:   --expected-output=@%t/compare-stablehlo.reduce.npz --rtol=0 --atol=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: result0 differs
// RUN: %shlo-run %t/compare-stablehlo.reduce.mlir --input=@%t/compare-stablehlo.reduce.npz \
// RUN:   --expected-output=@%t/compare-stablehlo.reduce.npz --atol=1

// A second one does not overwrite the first; where it cannot be saved, it is still reported.
// RUN: not %shlo-run %s --input=1 --input=random:1 --compare=reference --rtol=0 --atol=0 \
// RUN:   --save-to=%t 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: compare-stablehlo.reduce-2.mlir
// RUN: not %shlo-run %s --input=1 --input=random:1 --compare=reference --rtol=0 --atol=0 \
// RUN:   --save-to=%t/none 2>&1 | FileCheck %s --check-prefix=UNSAVED
// UNSAVED: error: stablehlo.reduce
// UNSAVED: note: no test was saved: cannot write

// RUN: not %shlo-run %s --compare=xla 2>&1 | FileCheck %s --check-prefix=XLA
// XLA: error: Invalid value for '--compare': 'xla' is not 'reference'
// RUN: not %shlo-run %s --compare=reference --backend=reference 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// BOTH: error: --compare=reference runs the native backend as well
// RUN: not %shlo-run %s --compare=reference --check-nans 2>&1 | FileCheck %s --check-prefix=NANS
// NANS: error: --compare does not go with --probe, --probe-dir or --check-nans

func.func @main(%n: tensor<i32>, %x: tensor<99999xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<99999xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %next, %y : tensor<i32>, tensor<99999xf32>
  }
  %minus = stablehlo.negate %r#1 : tensor<99999xf32>
  %back = stablehlo.negate %minus : tensor<99999xf32>
  %lower = stablehlo.minimum %minus, %back : tensor<99999xf32>
  %upper = stablehlo.maximum %lower, %back : tensor<99999xf32>
  %sum = stablehlo.reduce(%upper init: %none) applies stablehlo.add across dimensions = [0]
    : (tensor<99999xf32>, tensor<f32>) -> tensor<f32> loc("jit(f)/sum"("model.py":5:1))
  return %sum : tensor<f32>
}
