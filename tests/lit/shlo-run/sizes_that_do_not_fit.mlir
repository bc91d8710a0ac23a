// RUN: not %shlo-run %s --input=1000000xf32=1 2>&1 | FileCheck %s
// RUN: %shlo-run %s --input=3xf32=1 | FileCheck %s --check-prefix=FIT
// RUN: %shlo-opt %s --shlo-to-linalg | FileCheck %s --check-prefix=LINALG

// That operands are as long as each other is checked behind the first of them, which is as long as
// the argument, and returned. MLIR concludes from the subtraction that it has three elements.

// CHECK: error: stablehlo.subtract: operands differ in type
// CHECK-SAME: arg0.0 = 1000000 is not 3
// FIT: 0.238

// LINALG: %[[TANH:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?xf32>)
// LINALG: call @shlo.check(
// LINALG: %[[THREE:.*]] = tensor.extract_slice %[[TANH]][0] [3] [1]
// LINALG: linalg.generic {{.*}} %[[THREE]] : tensor<3xf32>, tensor<3xf32>)
func.func @main(%a: tensor<?xf32>) -> (tensor<3xf32>, tensor<?xf32>) {
  %0 = stablehlo.tanh %a : tensor<?xf32>
  %c = stablehlo.constant dense<1.0> : tensor<3xf32>
  %1 = stablehlo.subtract %c, %0 : (tensor<3xf32>, tensor<?xf32>) -> tensor<3xf32>
  return %1, %0 : tensor<3xf32>, tensor<?xf32>
}
