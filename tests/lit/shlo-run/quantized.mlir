// Quantized types are shown; their values are given and printed as integers.

// RUN: %shlo-run %s | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: arg0: tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// SIGNATURE: result0: tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>

// 1 + 1 is 2: integers 5 and 7; sums beyond the range stop at its ends.
// RUN: %shlo-run %s --input=5,127,-128 | FileCheck %s
// RUN: %shlo-run %s --input=3xi8=5,127,-128 --backend=reference | FileCheck %s
// CHECK: result0: tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: [ 7 127 -128]

// RUN: %shlo-run %s --input=5,127,-128 --expected-output=7,127,-128

// RUN: not %shlo-run %s --input=5,300,0 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: 300 does not fit i8: -128 to 127

!q = !quant.uniform<i8:f32, 0.5:3>
func.func @main(%x: tensor<3x!q>) -> tensor<3x!q> {
  %0 = stablehlo.add %x, %x : tensor<3x!q>
  return %0 : tensor<3x!q>
}
