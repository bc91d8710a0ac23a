// Sizes that only the function knows come from a first call, the values from a second one.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @late
// CHECK: %[[TABLE:.*]] = tensor.empty() : tensor<3xi64>
// CHECK: %[[SIZES:.*]] = call @[[FIRST:.*]](%[[TABLE]], %arg0) : (tensor<3xi64>, tensor<?xf32>) -> tensor<3xi64>
// CHECK: %[[A:.*]] = tensor.extract %[[SIZES]][%c1{{.*}}]
// CHECK: %[[N:.*]] = arith.index_cast %[[A]] : i64 to index
// CHECK: %[[X:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: %[[B:.*]] = tensor.extract %[[SIZES]][%c2{{.*}}]
// CHECK: %[[M:.*]] = arith.index_cast %[[B]] : i64 to index
// CHECK: %[[Y:.*]] = tensor.empty(%[[M]]) : tensor<2x?xi32>
// CHECK: call @[[SECOND:.*]](%[[X]], %[[Y]], %[[SIZES]]) : (tensor<?xf32>, tensor<2x?xi32>, tensor<3xi64>) -> (tensor<?xf32>, tensor<2x?xi32>)
// CHECK: func.func private @[[FIRST]]({{.*}}step = "sizes"
// CHECK: func.func private @[[SECOND]]({{.*}}step = "values"
func.func @late(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2x?xi32>) {
  %0:2 = stablehlo.custom_call @late(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<2x?xi32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<2x?xi32>
}
