// The shape that the program computes is checked against the static one, which is used.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[ROWS:.*]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: %[[A:.*]] = arith.cmpi eq, %[[TWO:.*]], %[[ROWS]]
// CHECK: call @shlo.check(%[[A]], %[[TWO]], %[[ROWS]]) {shlo.message = "stablehlo.dynamic_reshape: tensor<2x6xf32> has not the sizes [arg1[0], arg1[1]]: {0} is not arg1[0] = {1}"}
// CHECK: %[[COLUMNS:.*]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: %[[B:.*]] = arith.cmpi eq, %[[SIX:.*]], %[[COLUMNS]]
// CHECK: call @shlo.check(%[[B]], %[[SIX]], %[[COLUMNS]])
// CHECK: tensor.expand_shape %arg0
func.func @main(%a: tensor<12xf32>, %shape: tensor<2xui8>) -> tensor<2x6xf32> {
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<12xf32>, tensor<2xui8>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Nothing is left of what is known.
// CHECK-LABEL: @constant
// CHECK-NOT: shlo.check
// CHECK: tensor.expand_shape
func.func @constant(%a: tensor<12xf32>) -> tensor<2x6xf32> {
  %shape = stablehlo.constant dense<[2, 6]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<12xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// The number of elements is checked where only run time knows it.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}}"stablehlo.dynamic_reshape: {{.*}} is not {{.*}}
// CHECK: tensor.reshape %arg0
func.func @unknown(%a: tensor<?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A value whose type leaves open what is known of it: the maximum says that there is one column.
// CHECK-LABEL: @known
// CHECK: %[[ONE:.*]] = tensor.extract_slice %cast_{{[0-9]+}}[0, 0] [1, 1] [1, 1] : tensor<1x?xf32> to tensor<1x1xf32>
// CHECK: tensor.collapse_shape %[[ONE]] {{\[}}[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
func.func @known(%a: tensor<1x?xf32>, %one: tensor<1x1xf32>, %shape: tensor<1xi32>) -> (tensor<1x1xf32>, tensor<1xf32>) {
  %0 = stablehlo.maximum %a, %one : (tensor<1x?xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %first = stablehlo.constant dense<1> : tensor<1xi32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %size = stablehlo.get_dimension_size %a, dim = 1 : (tensor<1x?xf32>) -> tensor<i32>
  %last = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %first, %last, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %halves = stablehlo.dynamic_broadcast_in_dim %half, %sizes, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<1x?xf32>
  %1 = stablehlo.multiply %a, %halves : tensor<1x?xf32>
  %2 = stablehlo.dynamic_reshape %1, %shape : (tensor<1x?xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0, %2 : tensor<1x1xf32>, tensor<1xf32>
}
