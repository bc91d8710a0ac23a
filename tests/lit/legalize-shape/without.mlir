// Sizes that tensor and arith ops compute become StableHLO, too; not beside ops that have no rule.
// RUN: %shlo-opt %s --split-input-file --shlo-legalize-shape | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: tensor.dim
// CHECK-NOT: arith.
// CHECK: stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.dynamic_reshape
func.func @main(%x: tensor<?x4x6xf32>) -> tensor<?x24xf32> {
  %c24 = arith.constant 24 : i64
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %x, %c0 : tensor<?x4x6xf32>
  %n = arith.index_cast %dim : index to i64
  %shape = tensor.from_elements %n, %c24 : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4x6xf32>, tensor<2xi64>) -> tensor<?x24xf32>
  return %0 : tensor<?x24xf32>
}

// -----

// CHECK-LABEL: @beside_linalg
// CHECK: tensor.dim
// CHECK: linalg.fill
func.func @beside_linalg(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = stablehlo.add %x, %f : tensor<?xf32>
  return %0 : tensor<?xf32>
}
