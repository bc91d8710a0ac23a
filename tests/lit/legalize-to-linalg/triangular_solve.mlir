// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @solve(
// CHECK-SAME: %[[A:.*]]: tensor<5x3x3xf32>, %[[B:.*]]: tensor<5x3x1xf32>)
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<5x3x1xf32>
// CHECK: call @[[SOLVE:shlo.host.[0-9]+]](%[[OUT]], %[[A]], %[[B]])
// CHECK: func.func private @[[SOLVE]]
// CHECK-SAME: left_side = true, lower = false, transpose_a = "ADJOINT", unit_diagonal = true
// CHECK-SAME: target = "shlo.triangular_solve"
func.func @solve(%a: tensor<5x3x3xf32>, %b: tensor<5x3x1xf32>) -> tensor<5x3x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {
    left_side = true, lower = false, unit_diagonal = true,
    transpose_a = #stablehlo<transpose ADJOINT>
  } : (tensor<5x3x3xf32>, tensor<5x3x1xf32>) -> tensor<5x3x1xf32>
  return %0 : tensor<5x3x1xf32>
}
