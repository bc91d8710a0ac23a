// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// A stride of 0 fails its check before anything is divided by it.
// CHECK-LABEL: @main
// CHECK: call @shlo.check({{.*}}slice arg1[0]:arg2[0] of a dimension of size 9: {0} is more than arg1[0] = {1}"}
// CHECK-NOT: arith.floordivsi
// CHECK: call @shlo.check({{.*}}stride arg3[0] is not positive: {0} is more than arg3[0] = {1}"}
// CHECK: arith.floordivsi
// CHECK: call @shlo.check({{.*}}tensor<3xf32> has not the sizes
// CHECK: tensor.extract_slice %arg0[%{{.*}}] [3] [%{{.*}}]
func.func @main(%a: tensor<9xf32>, %start: tensor<1xi32>, %limit: tensor<1xi32>,
                %stride: tensor<1xi32>) -> tensor<3xf32> {
  %0 = stablehlo.real_dynamic_slice %a, %start, %limit, %stride
    : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Known places are those of slice; the limit alone is checked.
// CHECK-LABEL: @constant
// CHECK: call @shlo.check({{.*}}slice 2:arg1[0] of a dimension of size 9
// CHECK: tensor.extract_slice %arg0[2] [3] [2]
func.func @constant(%a: tensor<9xf32>, %limit: tensor<1xi32>) -> tensor<3xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %two, %limit, %two
    : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
