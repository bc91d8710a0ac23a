// Arithmetic on sizes and indices; what can be invalid is asserted where it leaves.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s

// CHECK-LABEL: func.func @arithmetic(%arg0: tensor<i64>, %arg1: tensor<i64>)
// CHECK: %[[SUM:.+]] = stablehlo.add %arg0, %arg1
// CHECK: %[[PRODUCT:.+]] = stablehlo.multiply %[[SUM]], %{{.+}} : tensor<i64>
// CHECK-NOT: custom_call
// CHECK: return %[[SUM]], %[[PRODUCT]]
func.func @arithmetic(%a: !shape.size, %i: index) -> (!shape.size, index) {
  %0 = shape.add %a, %i : !shape.size, index -> !shape.size
  %ten = shape.const_size 10
  %1 = shape.mul %0, %ten : !shape.size, !shape.size -> !shape.size
  %2 = shape.size_to_index %1 : !shape.size
  return %0, %2 : !shape.size, index
}

// Rounded down, where StableHLO rounds toward 0; a divisor of 0 is no size.
// CHECK-LABEL: func.func @div(%arg0: tensor<i64>, %arg1: tensor<i64>)
// CHECK: %[[ZERO:.+]] = stablehlo.constant dense<0> : tensor<i64>
// CHECK: %[[DEFINED:.+]] = stablehlo.compare NE, %arg1, %[[ZERO]], SIGNED
// CHECK: %[[QUOTIENT:.+]] = stablehlo.divide %arg0, %arg1
// CHECK: %[[LESS:.+]] = stablehlo.subtract %[[QUOTIENT]], %{{.+}}
// CHECK: %[[DOWN:.+]] = stablehlo.select %{{.+}}, %[[LESS]], %[[QUOTIENT]]
// CHECK: stablehlo.custom_call @shape_assertion(%[[DEFINED]], %arg0) {error_message = "shape.div: {0} is divided by 0", has_side_effect = true}
// CHECK: return %[[DOWN]]
func.func @div(%a: index, %b: index) -> index {
  %0 = shape.div %a, %b : index, index -> index
  return %0 : index
}

// Nobody looks at this quotient: nothing is asserted.
// CHECK-LABEL: func.func @unused(%arg0: tensor<i64>)
// CHECK-NEXT: return %arg0
func.func @unused(%a: !shape.size) -> !shape.size {
  %0 = shape.div %a, %a : !shape.size, !shape.size -> !shape.size
  return %a : !shape.size
}

// The arithmetic of other dialects beside shapes.
// CHECK-LABEL: func.func @beside(
// CHECK: %[[NARROW:.+]] = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
// CHECK: %[[V:.+]] = stablehlo.concatenate
// CHECK: %[[LESS:.+]] = stablehlo.compare LT, %arg0, %{{.+}}, SIGNED
// CHECK: %[[R:.+]] = stablehlo.select %[[LESS]], %arg0
// CHECK: return %[[V]], %[[R]] : tensor<2xi32>, tensor<i64>
func.func @beside(%i: index) -> (tensor<2xi32>, index) {
  %s = shape.const_size 5
  %c = shape.size_to_index %s : !shape.size
  %0 = arith.index_cast %i : index to i32
  %1 = arith.index_cast %c : index to i32
  %2 = tensor.from_elements %0, %1 : tensor<2xi32>
  %3 = index.cmp slt(%i, %c)
  %4 = arith.select %3, %i, %c : index
  return %2, %4 : tensor<2xi32>, index
}
