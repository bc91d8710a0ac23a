// Functions of shapes are inlined; what they say of ops is checked; values keep their shapes.
// RUN: %shlo-opt %s --shlo-legalize-shape --split-input-file | FileCheck %s

// CHECK-NOT: @same
// CHECK-LABEL: func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<2xi64>)
// CHECK-NOT: {{[^_]}}call @
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "shape.with_shape: the value has another shape: [{0}, {1}] and [{2}, {3}]"
// CHECK: return %{{.+}}, %arg0 : tensor<2xi64>, tensor<?x3xf32>
func.func private @same(%v: !shape.value_shape) -> !shape.shape {
  %0 = shape.shape_of %v : !shape.value_shape -> !shape.shape
  return %0 : !shape.shape
}
func.func @main(%x: tensor<?x3xf32>, %e: tensor<2xindex>) -> (!shape.shape, tensor<?x3xf32>) {
  %s = shape.from_extent_tensor %e : tensor<2xindex>
  %v = shape.with_shape %x, %s : tensor<?x3xf32>, !shape.shape
  %0 = func.call @same(%v) : (!shape.value_shape) -> !shape.shape
  %1 = shape.value_of %v : tensor<?x3xf32>
  return %0, %1 : !shape.shape, tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @as_shape(%arg0: tensor<2xi32>) -> tensor<2xi64>
// CHECK: %[[S:.+]] = stablehlo.convert %arg0 : (tensor<2xi32>) -> tensor<2xi64>
// CHECK: interpreter.print %[[S]]
// CHECK: return %[[S]]
func.func @as_shape(%v: tensor<2xi32>) -> !shape.shape {
  %0 = shape.value_as_shape %v : tensor<2xi32> -> !shape.shape
  %1 = "shape.debug_print"(%0) : (!shape.shape) -> !shape.shape
  return %1 : !shape.shape
}

// -----

// What is known to be so leaves nothing.
// CHECK: module {
// CHECK-NEXT: func.func @unknown(
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "stablehlo.dynamic_reshape: the result has not the shape that @flat says: [{0}] and [{1}]"
// CHECK-LABEL: func.func @known(
// CHECK-NEXT: %[[SHAPE:.+]] = stablehlo.constant
// CHECK-NEXT: %[[R:.+]] = stablehlo.dynamic_reshape %arg0, %[[SHAPE]]
// CHECK-NEXT: return %[[R]]
module attributes {shape.lib = [@lib]} {
  shape.function_library @lib {
    shape.func @flat(%v: !shape.value_shape, %to: !shape.value_shape) -> !shape.shape {
      %0 = shape.shape_of %v : !shape.value_shape -> !shape.shape
      %1 = shape.num_elements %0 : !shape.shape -> !shape.size
      %2 = shape.from_extents %1 : !shape.size
      shape.return %2 : !shape.shape
    }
  } mapping {stablehlo.dynamic_reshape = @flat}
  func.func @unknown(%x: tensor<?x2xf32>, %to: tensor<1xi32>) -> tensor<?xf32> {
    %0 = stablehlo.dynamic_reshape %x, %to : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func @known(%x: tensor<3x2xf32>) -> tensor<6xf32> {
    %to = stablehlo.constant dense<6> : tensor<1xi32>
    %0 = stablehlo.dynamic_reshape %x, %to : (tensor<3x2xf32>, tensor<1xi32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// -----

// What has no body is called with what its shapes become.
// CHECK: func.func private @outside(tensor<?xi64>, tensor<i64>) -> tensor<i64>
// CHECK-LABEL: func.func @caller(%arg0: tensor<?x2xf32>) -> tensor<i64>
// CHECK: %[[S:.+]] = stablehlo.concatenate
// CHECK: %[[W:.+]] = stablehlo.convert %[[S]] : (tensor<2xi64>) -> tensor<?xi64>
// CHECK: %[[R:.+]] = call @outside(%[[W]], %{{.+}}) : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
// CHECK: return %[[R]]
func.func private @outside(!shape.shape, index) -> !shape.size
func.func @caller(%x: tensor<?x2xf32>) -> !shape.size {
  %s = shape.shape_of %x : tensor<?x2xf32> -> !shape.shape
  %i = arith.constant 1 : index
  %0 = call @outside(%s, %i) : (!shape.shape, index) -> !shape.size
  return %0 : !shape.size
}
