// Results are compared where something is expected of them; what is not, is reported and status 1.

// RUN: %shlo-run %s --input="[1,2,3]" --expected-output="[2,4,6]" --expected-output=2 | FileCheck %s
// CHECK: result0 agrees: equal
// CHECK-NEXT: result1 agrees: equal

// RUN: %shlo-run %s --input="[1,2,3]" --expected-output="[2,4,6.000001]" --expected-output=2 \
// RUN:   | FileCheck %s --check-prefix=NEAR
// NEAR: result0 agrees: largest error 9.54e-07, 2 ulp

// RUN: not %shlo-run %s --input="[1,2,3]" --expected-output="[2,4,6.5]" --expected-output=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF
// OFF: error: result0 differs: 1 of 3 elements beyond 1e-05 + 1.3e-06 * |expected|
// OFF-NEXT: first at [2]: got 6.0, expected 6.5
// OFF-NEXT: largest error 0.5, 1048576 ulp
// OFF: error: result1 differs: 1 of 1 elements
// OFF-NEXT: first at []: got 2, expected 3

// RUN: not %shlo-run %s --input="[1,2,3]" --expected-output="[2,4,6]" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: error: 1 result given, 2 wanted

func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0, %two : tensor<3xf32>, tensor<i32>
}
