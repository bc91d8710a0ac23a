// Operands are stretched to one shape where they need it; then the plain op applies.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @arithmetic
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3xf32>
// CHECK-NEXT: %[[ADDED:.*]] = stablehlo.broadcast_in_dim %[[B]], dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: stablehlo.add %[[A]], %[[ADDED]] : tensor<2x3xf32>
// CHECK-NEXT: %[[LEFT:.*]] = stablehlo.broadcast_in_dim %[[B]], dims = [1]
// CHECK-NEXT: stablehlo.subtract %[[LEFT]], %[[A]]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.divide
// CHECK: stablehlo.maximum
// CHECK: stablehlo.minimum
// CHECK: stablehlo.power
// CHECK: stablehlo.remainder
// CHECK: stablehlo.atan2
// CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<2x3xcomplex<f32>>
// CHECK-NOT: chlo.
// CHECK: return
func.func @arithmetic(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_subtract %b, %a : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_multiply %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = chlo.broadcast_divide %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = chlo.broadcast_maximum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = chlo.broadcast_minimum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = chlo.broadcast_power %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %7 = chlo.broadcast_remainder %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %8 = chlo.broadcast_atan2 %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = chlo.broadcast_complex %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  return
}

// Operands that have the shape already stay as they are.
// CHECK-LABEL: @integers
// CHECK-NOT: broadcast_in_dim
// CHECK: stablehlo.and
// CHECK: stablehlo.or
// CHECK: stablehlo.xor
// CHECK: stablehlo.shift_left
// CHECK: stablehlo.shift_right_arithmetic
// CHECK: stablehlo.shift_right_logical
func.func @integers(%a: tensor<4xi32>, %b: tensor<4xi32>) {
  %0 = chlo.broadcast_and %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = chlo.broadcast_or %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = chlo.broadcast_xor %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = chlo.broadcast_shift_left %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %5 = chlo.broadcast_shift_right_logical %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @dimensions
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<2x1xf32>
// CHECK-NEXT: stablehlo.broadcast_in_dim %[[B]], dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: stablehlo.broadcast_in_dim %[[C]], dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: stablehlo.add
func.func @dimensions(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<2x1xf32>) {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_add %a, %c : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @choosing
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT
// CHECK: stablehlo.compare EQ, %{{[^,]*}}, %{{[^,]*}} :
// CHECK: %[[PRED:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<i1>) -> tensor<2x3xi1>
// CHECK: stablehlo.select %[[PRED]]
func.func @choosing(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %p: tensor<i1>) {
  %0 = chlo.broadcast_compare %a, %b {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %1 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %2 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// Forms of CHLO ops become StableHLO as well.
// CHECK-LABEL: @functions
// CHECK: stablehlo.broadcast_in_dim
// CHECK: stablehlo.bitcast_convert
// CHECK: stablehlo.while
// CHECK-NOT: chlo.
// CHECK: return
func.func @functions(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_next_after %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_zeta %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_polygamma %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
