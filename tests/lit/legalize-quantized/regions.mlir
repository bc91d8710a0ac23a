// Computations on quantized scalars become computations on integers.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!wide = !quant.uniform<i32:f32, 0.125>

// CHECK-LABEL: @reduce
// CHECK: stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
// CHECK-NEXT: reducer(%[[A:.*]]: tensor<i8>, %[[B:.*]]: tensor<i8>)
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: stablehlo.round_nearest_even
// CHECK: %[[SUM:.*]] = stablehlo.convert %{{.*}} : (tensor<f32>) -> tensor<i8>
// CHECK-NEXT: stablehlo.return %[[SUM]] : tensor<i8>
func.func @reduce(%x: tensor<4x!q>, %init: tensor<!q>) -> tensor<!q> {
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4x!q>, tensor<!q>) -> tensor<!q>
  return %0 : tensor<!q>
}

// CHECK-LABEL: @pool
// CHECK: "stablehlo.reduce_window"(%arg0, %arg1)
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i8>, %[[B:.*]]: tensor<i8>):
// CHECK-NEXT: %[[MOST:.*]] = stablehlo.maximum %[[A]], %[[B]] : tensor<i8>
// CHECK-NEXT: stablehlo.return %[[MOST]]
func.func @pool(%x: tensor<4x!q>, %init: tensor<!q>) -> tensor<2x!q> {
  %0 = "stablehlo.reduce_window"(%x, %init) ({
    ^bb0(%a: tensor<!q>, %b: tensor<!q>):
      %m = stablehlo.maximum %a, %b : tensor<!q>
      stablehlo.return %m : tensor<!q>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!q>, tensor<!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// to_destination_type: what the computation takes is made of elements and init values first.
// CHECK-LABEL: @promoted
// CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: %[[INIT:.*]] = stablehlo.convert %{{.*}} : (tensor<f32>) -> tensor<i32>
// CHECK: stablehlo.reduce(%[[X]] init: %[[INIT]]) {{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
func.func @promoted(%x: tensor<4x!q>, %init: tensor<!q>) -> tensor<!wide> {
  %0 = "stablehlo.reduce"(%x, %init) ({
    ^bb0(%a: tensor<!wide>, %b: tensor<!wide>):
      %s = stablehlo.add %a, %b : tensor<!wide>
      stablehlo.return %s : tensor<!wide>
  }) {dimensions = array<i64: 0>} : (tensor<4x!q>, tensor<!q>) -> tensor<!wide>
  return %0 : tensor<!wide>
}

// CHECK-LABEL: @sort
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}} : (tensor<i8>, tensor<i8>) -> tensor<i1>
func.func @sort(%x: tensor<4x!q>) -> tensor<4x!q> {
  %0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<!q>, %b: tensor<!q>):
      %c = stablehlo.compare GT, %a, %b : (tensor<!q>, tensor<!q>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4x!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}

// CHECK-LABEL: @map
// CHECK: "stablehlo.map"(%arg0)
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i8>):
// CHECK: stablehlo.return %{{.*}} : tensor<i32>
// CHECK: (tensor<4xi8>) -> tensor<4xi32>
func.func @map(%x: tensor<4x!q>) -> tensor<4x!wide> {
  %0 = "stablehlo.map"(%x) ({
    ^bb0(%a: tensor<!q>):
      %b = stablehlo.uniform_quantize %a : (tensor<!q>) -> tensor<!wide>
      stablehlo.return %b : tensor<!wide>
  }) {dimensions = array<i64: 0>} : (tensor<4x!q>) -> tensor<4x!wide>
  return %0 : tensor<4x!wide>
}

// The chosen elements are compared as the operand's numbers, the sums are the result's.
// CHECK-LABEL: @select_and_scatter
// CHECK: stablehlo.compare GE, %{{.*}}, %{{.*}} : (tensor<i8>, tensor<i8>) -> tensor<i1>
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
func.func @select_and_scatter(%x: tensor<4x!q>, %s: tensor<2x!q>, %i: tensor<!q>) -> tensor<4x!q> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) ({
    ^bb0(%a: tensor<!q>, %b: tensor<!q>):
      %c = stablehlo.compare GE, %a, %b : (tensor<!q>, tensor<!q>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%a: tensor<!q>, %b: tensor<!q>):
      %c = stablehlo.add %a, %b : tensor<!q>
      stablehlo.return %c : tensor<!q>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!q>, tensor<2x!q>, tensor<!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}

// CHECK-LABEL: @scatter
// CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: (tensor<5xi8>, tensor<3x1xi32>, tensor<3xi8>) -> tensor<5xi8>
func.func @scatter(%x: tensor<5x!q>, %i: tensor<3x1xi32>, %u: tensor<3x!q>) -> tensor<5x!q> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%a: tensor<!q>, %b: tensor<!q>):
      stablehlo.return %b : tensor<!q>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<5x!q>, tensor<3x1xi32>, tensor<3x!q>) -> tensor<5x!q>
  return %0 : tensor<5x!q>
}
