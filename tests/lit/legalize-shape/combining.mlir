// Shapes of unknown sizes: the one that all stretch to, and whether there is one.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s

// An extent that is known and not 1 is the result's. What can fail is asserted as the shape leaves.
// CHECK-LABEL: func.func @broadcast(%arg0: tensor<?x3xf32>, %arg1: tensor<1x?xf32>)
// CHECK-DAG: %[[M32:.+]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK-DAG: %[[M:.+]] = stablehlo.convert %[[M32]]
// CHECK-DAG: %[[N32:.+]] = stablehlo.get_dimension_size %arg1, dim = 1
// CHECK-DAG: %[[N:.+]] = stablehlo.convert %[[N32]]
// CHECK-DAG: %[[THREE:.+]] = stablehlo.constant dense<3> : tensor<i64>
// CHECK-DAG: %[[OF_ONE:.+]] = stablehlo.compare EQ, %[[N]], %{{.+}}, SIGNED
// CHECK-DAG: %[[SAME:.+]] = stablehlo.compare EQ, %[[THREE]], %[[N]], SIGNED
// CHECK: %[[FITS:.+]] = stablehlo.or %[[SAME]], %[[OF_ONE]]
// CHECK: stablehlo.custom_call @shape_assertion(%[[FITS]]) {error_message = "no common shape", has_side_effect = true}
// CHECK: %[[M1:.+]] = stablehlo.reshape %[[M]]
// CHECK: %[[THREE1:.+]] = stablehlo.reshape %[[THREE]]
// CHECK: %[[R:.+]] = stablehlo.concatenate %[[M1]], %[[THREE1]]
// CHECK: return %[[R]] : tensor<2xi64>
func.func @broadcast(%x: tensor<?x3xf32>, %y: tensor<1x?xf32>) -> !shape.shape {
  %a = shape.shape_of %x : tensor<?x3xf32> -> !shape.shape
  %b = shape.shape_of %y : tensor<1x?xf32> -> !shape.shape
  %0 = shape.broadcast %a, %b {error = "no common shape"} : !shape.shape, !shape.shape -> !shape.shape
  return %0 : !shape.shape
}

// The same question is asked once, and asserts nothing.
// CHECK-LABEL: func.func @is_broadcastable(
// CHECK: %[[FITS:.+]] = stablehlo.or
// CHECK-NOT: custom_call
// CHECK: return %[[FITS]], %[[FITS]]
func.func @is_broadcastable(%x: tensor<?xf32>, %y: tensor<3xf32>) -> (i1, i1) {
  %a = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %b = shape.shape_of %y : tensor<3xf32> -> tensor<1xindex>
  %0 = shape.is_broadcastable %a, %b : tensor<1xindex>, tensor<1xindex>
  %1 = shape.is_broadcastable %a, %b : tensor<1xindex>, tensor<1xindex>
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @shape_eq(
// CHECK-DAG: %[[FALSE:.+]] = stablehlo.constant dense<false>
// CHECK-DAG: %[[SAME:.+]] = stablehlo.compare EQ
// CHECK: return %[[SAME]], %[[FALSE]]
func.func @shape_eq(%x: tensor<?xf32>, %y: tensor<3xf32>, %z: tensor<?x?xf32>) -> (i1, i1) {
  %a = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %b = shape.shape_of %y : tensor<3xf32> -> !shape.shape
  %c = shape.shape_of %z : tensor<?x?xf32> -> !shape.shape
  %0 = shape.shape_eq %a, %b : tensor<1xindex>, !shape.shape
  %1 = shape.shape_eq %b, %c : !shape.shape, !shape.shape
  return %0, %1 : i1, i1
}

// Shapes of which only run time knows the rank are aligned at their ends, with 1 in front.
// CHECK-LABEL: func.func @unranked(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>)
// CHECK: %[[RANK:.+]] = stablehlo.maximum
// CHECK: %[[A:.+]] = stablehlo.dynamic_pad %arg0
// CHECK: %[[B:.+]] = stablehlo.dynamic_pad %arg1
// CHECK: %[[A_OF_ONE:.+]] = stablehlo.compare EQ, %[[A]], %{{.+}}, SIGNED : (tensor<?xi64>, tensor<?xi64>)
// CHECK-DAG: stablehlo.reduce{{.*}} applies stablehlo.and
// CHECK-DAG: %[[R:.+]] = stablehlo.select %[[A_OF_ONE]], %[[B]], %[[A]]
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "required broadcastable shapes"
// CHECK: return %[[R]]
func.func @unranked(%a: !shape.shape, %b: !shape.shape) -> !shape.shape {
  %0 = shape.broadcast %a, %b : !shape.shape, !shape.shape -> !shape.shape
  return %0 : !shape.shape
}

// CHECK-LABEL: func.func @meet(
// CHECK: %[[N:.+]] = stablehlo.convert
// CHECK: %[[SAME:.+]] = stablehlo.compare EQ, %[[N]], %[[THREE:.+]], SIGNED
// CHECK: stablehlo.custom_call @shape_assertion(%[[SAME]], %[[N]], %[[THREE]]) {error_message = "shape.meet: the operands differ: [{0}] and [{1}]", has_side_effect = true}
// CHECK: stablehlo.custom_call @shape_assertion(%{{.+}}) {error_message = "two batches"
func.func @meet(%x: tensor<?xf32>, %y: tensor<3xf32>, %m: index, %n: index) -> (!shape.shape, !shape.size) {
  %a = shape.shape_of %x : tensor<?xf32> -> !shape.shape
  %b = shape.shape_of %y : tensor<3xf32> -> !shape.shape
  %0 = shape.meet %a, %b : !shape.shape, !shape.shape -> !shape.shape
  %c = shape.index_to_size %m
  %d = shape.index_to_size %n
  %1 = shape.meet %c, %d, error = "two batches" : !shape.size, !shape.size -> !shape.size
  return %0, %1 : !shape.shape, !shape.size
}

// CHECK-LABEL: func.func @extremes(%arg0: tensor<1xi64>, %arg1: tensor<1xi64>)
// CHECK: %[[MOST:.+]] = stablehlo.maximum
// CHECK: %[[LEAST:.+]] = stablehlo.minimum
// CHECK-NOT: custom_call
func.func @extremes(%a: tensor<1xindex>, %b: tensor<1xindex>) -> (!shape.shape, !shape.shape) {
  %x = shape.from_extent_tensor %a : tensor<1xindex>
  %y = shape.from_extent_tensor %b : tensor<1xindex>
  %0 = shape.max %x, %y : !shape.shape, !shape.shape -> !shape.shape
  %1 = shape.min %x, %y : !shape.shape, !shape.shape -> !shape.shape
  return %0, %1 : !shape.shape, !shape.shape
}
