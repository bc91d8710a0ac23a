// Updates are applied in order; each element out of bounds is skipped, nothing is clamped.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @main
// CHECK: call @shlo.scatter.0(%arg0, %arg1, %arg2)
// CHECK: func.func private @shlo.scatter.0(%[[X:.*]]: tensor<10xf32>, %[[I:.*]]: tensor<2x1xi32>, %[[U:.*]]: tensor<2x3xf32>)
// CHECK-SAME: kind = "scatter"
// CHECK: %[[SIZE:.*]] = arith.constant 10 : index
// CHECK-COUNT-2: scf.for
// CHECK-NOT: arith.minsi
// CHECK: %[[START:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[AT:.*]] = arith.addi %[[START]]
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[AT]], %[[SIZE]] : index
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %[[FITS]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: %[[OLD:.*]] = tensor.extract %[[STATE:.*]][%[[AT]]]
// CHECK: %[[NEW:.*]] = tensor.extract %[[U]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: %[[WRITTEN:.*]] = tensor.insert %[[SUM]] into %[[STATE]][%[[AT]]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[STATE]]
func.func @main(%x: tensor<10xf32>, %i: tensor<2x1xi32>, %u: tensor<2x3xf32>) -> tensor<10xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Sizes that the loops need are passed to the kernel.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}} {shlo.message = "stablehlo.scatter: {{.*}} has not one window for each index of {{.*}}
// CHECK: call @shlo.check({{.*}} {shlo.message = "stablehlo.scatter: windows of {{.*}}
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0
// CHECK: %[[ROWS:.*]] = tensor.dim %arg2
// CHECK: call @shlo.scatter.{{.*}}(%arg0, %arg1, %arg2, %[[SIZE]], %[[ROWS]])
func.func @unknown(%x: tensor<?xf32>, %i: tensor<?x1xi32>, %u: tensor<?x3xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?xf32>, tensor<?x1xi32>, tensor<?x3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
