// Sizes of results as IR: what is known folds, the rest is computed from the operands.
// RUN: stablehlo-opt %s --hlo-test-infer --split-input-file --allow-unregistered-dialect 2>/dev/null | FileCheck %s
// RUN: stablehlo-opt %s --hlo-test-infer --split-input-file --allow-unregistered-dialect 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN

// CHECK-LABEL: func.func @same
// CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[P:.+]]: tensor<i1>
// CHECK: %[[SHAPE:.+]] = shape.shape_of %[[X]] : tensor<?xf32> -> tensor<1xindex>
// CHECK: return %[[SHAPE]]
func.func @same(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<1xindex> {
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?xf32>) -> tensor<1xindex>
  return %1 : tensor<1xindex>
}

// -----

// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[X:.+]]: tensor<2x?xf32>
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK: %[[D:.+]] = tensor.dim %[[X]], %[[C1]]
// CHECK: %[[SHAPE:.+]] = tensor.from_elements %[[D]], %[[C2]] : tensor<2xindex>
// CHECK: return %[[SHAPE]]
func.func @transpose(%x: tensor<2x?xf32>) -> tensor<2xindex> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x?xf32>) -> tensor<?x2xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x2xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}

// -----

// CHECK-LABEL: func.func @shape_operand
// CHECK-SAME: %[[SHAPE:.+]]: tensor<2xi32>
// CHECK: %[[CAST:.+]] = arith.index_cast %[[SHAPE]] : tensor<2xi32> to tensor<2xindex>
// CHECK: return %[[CAST]]
func.func @shape_operand(%shape: tensor<2xi32>) -> tensor<2xindex> {
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}

// -----

// CHECK-LABEL: func.func @concatenate
// CHECK-SAME: %[[A:.+]]: tensor<?xf32>, %[[B:.+]]: tensor<?xf32>
// CHECK-DAG: %[[DA:.+]] = tensor.dim %[[A]]
// CHECK-DAG: %[[DB:.+]] = tensor.dim %[[B]]
// CHECK: %[[SUM:.+]] = arith.addi %[[DA]], %[[DB]] : index
// CHECK: tensor.from_elements %[[SUM]] : tensor<1xindex>
func.func @concatenate(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<1xindex> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?xf32>) -> tensor<1xindex>
  return %1 : tensor<1xindex>
}

// -----

// CHECK-LABEL: func.func @real_dynamic_slice
// CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[START:.+]]: tensor<1xi32>, %[[LIMIT:.+]]: tensor<1xi32>, %[[STRIDE:.+]]: tensor<1xi32>
// CHECK-DAG: %[[S:.+]] = tensor.extract %[[START]]
// CHECK-DAG: %[[L:.+]] = tensor.extract %[[LIMIT]]
// CHECK-DAG: %[[T:.+]] = tensor.extract %[[STRIDE]]
// CHECK: %[[LENGTH:.+]] = arith.subi %[[L]], %[[S]] : i32
// CHECK: %[[SUM:.+]] = arith.addi %[[T]], %[[LENGTH]] : i32
// CHECK: %[[LESS:.+]] = arith.subi %[[SUM]], %{{.+}} : i32
// CHECK: %[[SIZE:.+]] = arith.divsi %[[LESS]], %[[T]] : i32
// CHECK: tensor.from_elements %[[SIZE]] : tensor<1xi32>
func.func @real_dynamic_slice(%x: tensor<?xf32>, %s: tensor<1xi32>, %l: tensor<1xi32>, %t: tensor<1xi32>) -> tensor<1xi32> {
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?xf32>) -> tensor<1xi32>
  return %1 : tensor<1xi32>
}

// -----

// CHECK-LABEL: func.func @broadcast_add
// CHECK-SAME: %[[A:.+]]: tensor<?xf32>, %[[B:.+]]: tensor<?x?xf32>
// CHECK-DAG: %[[SA:.+]] = shape.shape_of %[[A]] : tensor<?xf32> -> tensor<1xindex>
// CHECK-DAG: %[[SB:.+]] = shape.shape_of %[[B]] : tensor<?x?xf32> -> tensor<2xindex>
// CHECK: %[[SHAPE:.+]] = shape.broadcast %[[SA]], %[[SB]] : tensor<1xindex>, tensor<2xindex> -> tensor<2xindex>
// CHECK: return %[[SHAPE]]
func.func @broadcast_add(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<2xindex> {
  %0 = chlo.broadcast_add %a, %b : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}

// -----

// CHECK-LABEL: func.func @unusual_broadcast
// CHECK: hlo_test_infer.reify_return_type_shapes
// WARN: warning: unsupported non prefix-padded dynamic rank broadcast_dimensions = array<i64: 0>
func.func @unusual_broadcast(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<2xindex> {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}
