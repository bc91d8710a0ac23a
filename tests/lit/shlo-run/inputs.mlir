// The spellings of values: written out, brackets as iree-run-module has them, one for all,
// typed by the program, from files, random.

// RUN: %shlo-run %s --input="2x3xf32=[[1,2,3],[4,5,6]]" --input="2x3xf32=[1 2 3][4 5 6]" \
// RUN:   | FileCheck %s
// RUN: %shlo-run %s --input="[[1,2,3],[4,5,6]]" --input="1 2 3 4 5 6" | FileCheck %s
// RUN: %shlo-run -input="tensor<2x3xf32>=[[1,2,3],[4,5,6]]" -input "1,2,3,4,5,6" %s | FileCheck %s
// RUN: %shlo-run --input="[[1,2,3],[4,5,6]]" --input="1 2 3 4 5 6" < %s | FileCheck %s

// CHECK: result0: tensor<2x3xf32>
// CHECK-NEXT: 2. 4. 6.]
// CHECK-NEXT: 8. 10. 12.]
// CHECK-NEXT: result1: tensor<i1>
// CHECK-NEXT: True

// RUN: %shlo-run %s --input=inf --input=-nan | FileCheck %s --check-prefix=NAN
// NAN: nan nan nan]
// NAN: result1: tensor<i1>
// NAN-NEXT: False

// One seed gives the same values each time, and different ones to different arguments.
// RUN: %shlo-run %s --input=random:0 --output=%t.npz
// RUN: %shlo-run %s --input=random:0 --expected-output=@%t.npz --rtol=0 --atol=0 \
// RUN:   | FileCheck %s --check-prefix=SAME
// RUN: not %shlo-run %s --input=random:1 --expected-output=@%t.npz
// SAME: result0 agrees: equal
// SAME: result1 agrees: equal

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i1>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %sum = stablehlo.add %x, %y : tensor<2x3xf32>
  %equal = stablehlo.compare EQ, %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %all = stablehlo.reduce(%equal init: %true) applies stablehlo.and across dimensions = [0, 1]
    : (tensor<2x3xi1>, tensor<i1>) -> tensor<i1>
  return %sum, %all : tensor<2x3xf32>, tensor<i1>
}
