// The first op that makes a NaN or Inf is named, with its place, the element, and its operands
// there; both backends say the same.

// RUN: %shlo-run %s --input=2 --input=9,9 --check-nans | FileCheck %s --check-prefix=FINE
// RUN: %shlo-run %s --input=2 --input=9,9 --check-nans --backend=reference \
// RUN:   | FileCheck %s --check-prefix=FINE
// FINE: result0: tensor<2xf32>
// FINE: no op made a NaN or Inf that its inputs did not have

// log(9) = 2.2, log(2.2) = 0.8, log(0.8) = -0.2, log(-0.2) is NaN: in the fourth round.
// RUN: not %shlo-run %s --input=5 --input=9,3e9 --check-nans 2>&1 | FileCheck %s
// RUN: not %shlo-run %s --input=5 --input=9,3e9 --check-nans --backend=reference 2>&1 \
// RUN:   | FileCheck %s
// CHECK: model.py:3:4: error: stablehlo.log (tensor<2xf32>) -> tensor<2xf32>: made NaN at [0] (1 of 2 elements)
// CHECK-NEXT: note: named 'jit(f)/log'
// CHECK-NEXT: note: in iteration 3
// CHECK-NEXT: note: operand 0 is -0.2{{[0-9]+}} there

// RUN: not %shlo-run %s --input=1 --input=1,0 --check-nans 2>&1 | FileCheck %s --check-prefix=INF
// INF: error: stablehlo.log {{.*}}: made -Inf at [1] (1 of 2 elements)
// INF: note: operand 0 is 0.0 there

// What came in is not blamed on an op, nor is a constant; NaN out of Inf is.
// RUN: %shlo-run %s --input=3 --input=nan,9 --check-nans | FileCheck %s --check-prefix=FINE
// RUN: not %shlo-run %s --function=infinite --input=1 --check-nans 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUT
// OUT: check_nans.mlir:[[#]]:{{[0-9]+}}: error: stablehlo.subtract {{.*}}: made NaN at []
// OUT-NEXT: %1 = stablehlo.subtract %0, %0

func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %log = stablehlo.log %y : tensor<2xf32> loc("jit(f)/log"("model.py":3:4))
    stablehlo.return %next, %log : tensor<i32>, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}
func.func @infinite(%x: tensor<f32>) -> tensor<f32> {
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %0 = stablehlo.add %x, %inf : tensor<f32>
  %1 = stablehlo.subtract %0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
