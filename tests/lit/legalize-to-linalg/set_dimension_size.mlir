// As many elements as the result has are kept; the size must say the same.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[SIZE:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: call @shlo.check(%{{.*}}, %c3{{.*}}, %{{.*}}tensor<2x3xf32> has not the sizes [2, arg1[0]]: {0} is not arg1[0] = {1}"}
// CHECK: tensor.extract_slice %arg0[0, 0] [2, 3] [1, 1]
func.func @main(%a: tensor<2x4xf32>, %size: tensor<i32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.set_dimension_size"(%a, %size) {dimension = 1 : i64}
    : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A bound is the largest size that the result may have.
// CHECK-LABEL: @bounded
// CHECK-SAME: -> tensor<?xf32> attributes {shlo.signature = {{.*}}#stablehlo.bounds<3>
// CHECK: call @shlo.check({{.*}}exceeds its bound 3: arg1[0] = {0} is more than {1}"}
// CHECK: tensor.extract_slice %arg0[0] [%{{.*}}] [1] : tensor<4xf32> to tensor<?xf32>
func.func @bounded(%a: tensor<4xf32>, %size: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<3>> {
  %0 = "stablehlo.set_dimension_size"(%a, %size) {dimension = 0 : i64}
    : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<3>>
  return %0 : tensor<?xf32, #stablehlo.bounds<3>>
}
