// Kernels are told apart by the signs of what they read, which lowered types do not have.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK: call @shlo.scatter.0(
// CHECK: call @shlo.scatter.1(
// CHECK: func.func private @shlo.scatter.0
// CHECK: arith.index_cast %{{.*}} : i8 to index
// CHECK: func.func private @shlo.scatter.1
// CHECK: arith.index_castui %{{.*}} : i8 to index
func.func @main(%a: tensor<200xf32>, %i: tensor<2x1xi8>, %u: tensor<2x1xui8>, %new: tensor<2xf32>) -> (tensor<200xf32>, tensor<200xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %new) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<200xf32>, tensor<2x1xi8>, tensor<2xf32>) -> tensor<200xf32>
  %1 = "stablehlo.scatter"(%a, %u, %new) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<200xf32>, tensor<2x1xui8>, tensor<2xf32>) -> tensor<200xf32>
  return %0, %1 : tensor<200xf32>, tensor<200xf32>
}
