// Extents of unknown size are read from the tensor; shapes are vectors of them. Nothing of the
// dialect is left.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s --check-prefix=GONE
// GONE-NOT: {{[^:"]}}shape.
// GONE-NOT: xindex

// CHECK-LABEL: func.func @shape_of(%arg0: tensor<?x4xf32>) -> tensor<2xi64>
// CHECK: %[[N32:.+]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[N:.+]] = stablehlo.convert %[[N32]] : (tensor<i32>) -> tensor<i64>
// CHECK: %[[FOUR:.+]] = stablehlo.constant dense<4> : tensor<i64>
// CHECK: %[[N1:.+]] = stablehlo.reshape %[[N]] : (tensor<i64>) -> tensor<1xi64>
// CHECK: %[[FOUR1:.+]] = stablehlo.reshape %[[FOUR]] : (tensor<i64>) -> tensor<1xi64>
// CHECK: %[[R:.+]] = stablehlo.concatenate %[[N1]], %[[FOUR1]], dim = 0
// CHECK: return %[[R]]
func.func @shape_of(%x: tensor<?x4xf32>) -> tensor<2xindex> {
  %0 = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// What a shape consists of needs no ops.
// CHECK-LABEL: func.func @parts(%arg0: tensor<i64>, %arg1: tensor<i64>) -> (tensor<i64>, tensor<i64>)
// CHECK-NEXT: %[[TWO:.+]] = stablehlo.constant dense<2> : tensor<i64>
// CHECK-NEXT: return %arg1, %[[TWO]]
func.func @parts(%a: index, %b: !shape.size) -> (!shape.size, !shape.size) {
  %s = shape.from_extents %a, %b : index, !shape.size
  %one = arith.constant 1 : index
  %0 = shape.get_extent %s, %one : !shape.shape, index -> !shape.size
  %1 = shape.rank %s : !shape.shape -> !shape.size
  return %0, %1 : !shape.size, !shape.size
}

// CHECK-LABEL: func.func @num_elements(%arg0: tensor<?x4xf32>, %arg1: tensor<?xi64>)
// CHECK: %[[N:.+]] = stablehlo.convert
// CHECK: %[[COUNT:.+]] = stablehlo.multiply %[[N]], %{{.+}} : tensor<i64>
// CHECK: %[[PRODUCT:.+]] = stablehlo.reduce(%arg1 init: %{{.+}}) applies stablehlo.multiply
// CHECK: return %[[COUNT]], %[[PRODUCT]]
func.func @num_elements(%x: tensor<?x4xf32>, %s: !shape.shape) -> (index, !shape.size) {
  %e = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %0 = shape.num_elements %e : tensor<2xindex> -> index
  %1 = shape.num_elements %s : !shape.shape -> !shape.size
  return %0, %1 : index, !shape.size
}

// CHECK-LABEL: func.func @dim(%arg0: tensor<?x4xf32>) -> (tensor<i64>, tensor<i64>)
// CHECK: %[[N32:.+]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[N:.+]] = stablehlo.convert %[[N32]]
// CHECK: return %[[N]], %{{.+}} :
func.func @dim(%x: tensor<?x4xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = shape.dim %x, %zero : tensor<?x4xf32>, index -> index
  %1 = tensor.dim %x, %one : tensor<?x4xf32>
  return %0, %1 : index, index
}

// A vector that comes back together is the vector that it was.
// CHECK-LABEL: func.func @there_and_back(%arg0: tensor<2xi64>)
// CHECK-NEXT: return %arg0 : tensor<2xi64>
func.func @there_and_back(%e: tensor<2xindex>) -> tensor<?xindex> {
  %0 = shape.from_extent_tensor %e : tensor<2xindex>
  %i = arith.constant 1 : index
  %head, %tail = "shape.split_at"(%0, %i) : (!shape.shape, index) -> (!shape.shape, !shape.shape)
  %1 = shape.concat %head, %tail : !shape.shape, !shape.shape -> !shape.shape
  %2 = shape.to_extent_tensor %1 : !shape.shape -> tensor<?xindex>
  return %2 : tensor<?xindex>
}

// Where the rank is unknown, an index below 0 counts from the end, and must be in range.
// CHECK-LABEL: func.func @split_at(%arg0: tensor<?xi64>, %arg1: tensor<i64>)
// CHECK: %[[RANK:.+]] = stablehlo.convert %{{.+}} : (tensor<i32>) -> tensor<i64>
// CHECK: %[[LOWEST:.+]] = stablehlo.subtract %{{.+}}, %[[RANK]]
// CHECK: stablehlo.real_dynamic_slice %arg0
// CHECK: stablehlo.real_dynamic_slice %arg0
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "shape.split_at: index {0} is outside of [-{1}, {1}]", has_side_effect = true}
func.func @split_at(%s: !shape.shape, %i: index) -> (!shape.shape, !shape.shape) {
  %head, %tail = "shape.split_at"(%s, %i) : (!shape.shape, index) -> (!shape.shape, !shape.shape)
  return %head, %tail : !shape.shape, !shape.shape
}

// A rank that a type promises is checked.
// CHECK-LABEL: func.func @ranked(%arg0: tensor<?xi64>) -> tensor<2xi64>
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "shape.to_extent_tensor: a shape of rank {0}, not of 2"
// CHECK: %[[R:.+]] = stablehlo.slice %arg0 [0:2]
// CHECK: return %[[R]]
func.func @ranked(%s: !shape.shape) -> tensor<2xindex> {
  %0 = shape.to_extent_tensor %s : !shape.shape -> tensor<2xindex>
  return %0 : tensor<2xindex>
}
