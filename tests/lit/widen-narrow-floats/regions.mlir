// Inside regions ops are widened one by one; what carries or moves elements stays narrow.
// RUN: %shlo-opt %s --shlo-widen-narrow-floats --split-input-file | FileCheck %s

// A computation of several steps rounds at each.
// CHECK-LABEL: @reduction
// CHECK: stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<9xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
// CHECK: reducer(%[[A:.*]]: tensor<f8E4M3FN>, %[[B:.*]]: tensor<f8E4M3FN>)
// CHECK-DAG: %[[X:.*]] = stablehlo.convert %[[A]] : (tensor<f8E4M3FN>) -> tensor<f32>
// CHECK-DAG: %[[Y:.*]] = stablehlo.convert %[[B]] : (tensor<f8E4M3FN>) -> tensor<f32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[Y]] : tensor<f32>
// CHECK: %[[R:.*]] = stablehlo.convert %[[SUM]] : (tensor<f32>) -> tensor<f8E4M3FN>
// CHECK: stablehlo.return %[[R]] : tensor<f8E4M3FN>
func.func @reduction(%x: tensor<9xf8E4M3FN>, %init: tensor<f8E4M3FN>) -> tensor<f8E4M3FN> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [0] : (tensor<9xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
    reducer(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>) {
      %1 = stablehlo.add %a, %b : tensor<f8E4M3FN>
      stablehlo.return %1 : tensor<f8E4M3FN>
    }
  return %0 : tensor<f8E4M3FN>
}

// -----

// CHECK-LABEL: @sorted
// CHECK-NOT: stablehlo.convert
// CHECK: "stablehlo.sort"(%arg0)
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK: -> tensor<9xf6E2M3FN>
func.func @sorted(%x: tensor<9xf6E2M3FN>) -> tensor<9xf6E2M3FN> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f6E2M3FN>, %b: tensor<f6E2M3FN>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<f6E2M3FN>, tensor<f6E2M3FN>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<9xf6E2M3FN>) -> tensor<9xf6E2M3FN>
  return %0 : tensor<9xf6E2M3FN>
}

// -----

// Contractions convert their operands themselves when they are lowered.
// CHECK-LABEL: @moved
// CHECK-NOT: stablehlo.convert
// CHECK: return
func.func @moved(%x: tensor<2x2xf8E5M2>, %p: tensor<2x2xi1>) -> tensor<2x2xf8E5M2> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  %1 = stablehlo.select %p, %x, %0 : tensor<2x2xi1>, tensor<2x2xf8E5M2>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  return %2 : tensor<2x2xf8E5M2>
}
