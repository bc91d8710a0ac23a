// Shapes that are known fold completely: in the pass, or once types are refined.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s
// RUN: %shlo-opt %s --shlo-legalize-shape --shlo-refine-shapes --shlo-fold | FileCheck %s
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s --check-prefix=GONE
// GONE-NOT: {{[^:"]}}shape.

// CHECK-LABEL: func.func @shapes(
// CHECK-NOT: get_dimension_size
// CHECK-DAG: %[[BOTH:.+]] = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi64>
// CHECK-DAG: %[[JOINED:.+]] = stablehlo.constant dense<[2, 1, 4, 1, 3]> : tensor<5xi64>
// CHECK-DAG: %[[HEAD:.+]] = stablehlo.constant dense<4> : tensor<1xi64>
// CHECK-DAG: %[[TAIL:.+]] = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK: return %[[BOTH]], %[[JOINED]], %[[HEAD]], %[[TAIL]]
func.func @shapes(%x: tensor<2x1xf32>)
    -> (!shape.shape, tensor<?xindex>, !shape.shape, !shape.shape) {
  %a = shape.shape_of %x : tensor<2x1xf32> -> !shape.shape
  %b = shape.const_shape [4, 1, 3] : !shape.shape
  %one = shape.const_shape [1] : !shape.shape
  %0 = shape.broadcast %a, %one, %b : !shape.shape, !shape.shape, !shape.shape -> !shape.shape
  %1 = shape.concat %a, %b : !shape.shape, !shape.shape -> tensor<?xindex>
  %i = arith.constant -2 : index
  %2, %3 = "shape.split_at"(%0, %i) : (!shape.shape, index) -> (!shape.shape, !shape.shape)
  return %0, %1, %2, %3 : !shape.shape, tensor<?xindex>, !shape.shape, !shape.shape
}

// Nothing stretches to 0 but 1.
// CHECK-LABEL: func.func @of_size_0(
// CHECK: %[[R:.+]] = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
// CHECK: return %[[R]]
func.func @of_size_0(%x: tensor<0x1xf32>) -> tensor<2xindex> {
  %a = shape.shape_of %x : tensor<0x1xf32> -> tensor<2xindex>
  %b = shape.const_shape [1, 2] : tensor<2xindex>
  %0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// CHECK-LABEL: func.func @numbers(
// CHECK-DAG: %[[COUNT:.+]] = stablehlo.constant dense<24> : tensor<i64>
// CHECK-DAG: %[[WEIGHTED:.+]] = stablehlo.constant dense<11> : tensor<i64>
// CHECK-DAG: %[[DOWN:.+]] = stablehlo.constant dense<-4> : tensor<i64>
// CHECK-DAG: %[[TRUE:.+]] = stablehlo.constant dense<true> : tensor<i1>
// CHECK: return %[[COUNT]], %[[WEIGHTED]], %[[DOWN]], %[[TRUE]]
func.func @numbers() -> (!shape.size, index, index, i1) {
  %s = shape.const_shape [2, 3, 4] : !shape.shape
  %e = shape.const_shape [2, 3, 4] : tensor<3xindex>
  %0 = shape.num_elements %s : !shape.shape -> !shape.size
  %zero = arith.constant 0 : index
  %1 = shape.reduce(%e, %zero) : tensor<3xindex> -> index {
  ^bb0(%i: index, %extent: index, %sum: index):
    %part = arith.muli %i, %extent : index
    %next = arith.addi %sum, %part : index
    shape.yield %next : index
  }
  %a = arith.constant -7 : index
  %b = arith.constant 2 : index
  %2 = shape.div %a, %b : index, index -> index
  %3 = shape.shape_eq %s, %e : !shape.shape, tensor<3xindex>
  return %0, %1, %2, %3 : !shape.size, index, index, i1
}

// What only one of two shapes knows is what both say; sizes below 0 are unknown.
// CHECK-LABEL: func.func @unknown(
// CHECK: %[[R:.+]] = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
// CHECK: return %[[R]], %[[R]], %[[R]]
func.func @unknown() -> (!shape.shape, !shape.shape, !shape.shape) {
  %a = shape.const_shape [-1, 2] : !shape.shape
  %b = shape.const_shape [1, -1] : !shape.shape
  %0 = shape.any %a, %b : !shape.shape, !shape.shape -> !shape.shape
  %1 = shape.meet %a, %b : !shape.shape, !shape.shape -> !shape.shape
  %2 = "shape.join"(%a, %b) : (!shape.shape, !shape.shape) -> !shape.shape
  return %0, %1, %2 : !shape.shape, !shape.shape, !shape.shape
}

// CHECK-LABEL: func.func @constraints(
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return
func.func @constraints(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = shape.shape_of %x : tensor<2x3xf32> -> tensor<2xindex>
  %b = shape.const_shape [3] : !shape.shape
  %w = shape.cstr_broadcastable %a, %b : tensor<2xindex>, !shape.shape
  %0 = shape.assuming %w -> (tensor<2x3xf32>) {
    %1 = stablehlo.add %x, %x : tensor<2x3xf32>
    shape.assuming_yield %1 : tensor<2x3xf32>
  }
  return %0 : tensor<2x3xf32>
}
