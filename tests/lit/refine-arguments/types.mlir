// Arguments get types; the rest of the program keeps those that it was written for.
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-refine-arguments{types=tensor<2x3xf32>,tensor<4xi32>,tensor<5x?xf32>})' | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-refine-arguments{types=tensor<2x3xf32>,tensor<4xi32>,tensor<5x?xf32>},shlo-refine-shapes)' | FileCheck %s --check-prefix=REFINED

// CHECK: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4xi32>, %arg2: tensor<5x?xf32>) -> (tensor<?x3xf32>, tensor<?x?xf32>)
// CHECK: %[[S:.*]] = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK: %[[W:.*]] = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%arg0, %[[S]]) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
// What stays unknown is computed; the C++ pass writes -9223372036854775808.
// CHECK: stablehlo.get_dimension_size %arg2, dim = 1
// CHECK: %[[V:.*]] = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%arg2, %{{.*}}) {{.*}} -> tensor<?x?xf32>
// CHECK: stablehlo.abs %[[W]] : tensor<?x3xf32>
// CHECK: return %{{.*}}, %[[V]]

// REFINED: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4xi32>, %arg2: tensor<5x?xf32>) -> (tensor<2x3xf32>, tensor<5x?xf32>) {
// REFINED-NEXT: %[[R:.*]] = stablehlo.abs %arg0 : tensor<2x3xf32>
// REFINED-NEXT: return %[[R]], %arg2
func.func @main(%x: tensor<?x3xf32>, %y: tensor<4xi32>, %z: tensor<?x?xf32>) -> (tensor<?x3xf32>, tensor<?x?xf32>) {
  %0 = stablehlo.abs %x : tensor<?x3xf32>
  return %0, %z : tensor<?x3xf32>, tensor<?x?xf32>
}

func.func private @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
