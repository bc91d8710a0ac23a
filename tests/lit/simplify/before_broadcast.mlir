// An elementwise op of broadcast values works on fewer of them before: every one of these ops.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @unary_floats
// CHECK-DAG: stablehlo.cbrt %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.cosine %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.exponential %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.exponential_minus_one %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.floor %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.log %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.log_plus_one %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.logistic %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.negate %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.ceil %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.round_nearest_afz %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.round_nearest_even %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.rsqrt %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.sign %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.sine %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.sqrt %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.tan %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.tanh %arg0 : tensor<3xf32>
// CHECK-DAG: stablehlo.abs %arg0 : tensor<3xf32>
func.func @unary_floats(%x: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.cbrt %wx : tensor<2x3xf32>
  %1 = stablehlo.cosine %wx : tensor<2x3xf32>
  %2 = stablehlo.exponential %wx : tensor<2x3xf32>
  %3 = stablehlo.exponential_minus_one %wx : tensor<2x3xf32>
  %4 = stablehlo.floor %wx : tensor<2x3xf32>
  %5 = stablehlo.log %wx : tensor<2x3xf32>
  %6 = stablehlo.log_plus_one %wx : tensor<2x3xf32>
  %7 = stablehlo.logistic %wx : tensor<2x3xf32>
  %8 = stablehlo.negate %wx : tensor<2x3xf32>
  %9 = stablehlo.ceil %wx : tensor<2x3xf32>
  %10 = stablehlo.round_nearest_afz %wx : tensor<2x3xf32>
  %11 = stablehlo.round_nearest_even %wx : tensor<2x3xf32>
  %12 = stablehlo.rsqrt %wx : tensor<2x3xf32>
  %13 = stablehlo.sign %wx : tensor<2x3xf32>
  %14 = stablehlo.sine %wx : tensor<2x3xf32>
  %15 = stablehlo.sqrt %wx : tensor<2x3xf32>
  %16 = stablehlo.tan %wx : tensor<2x3xf32>
  %17 = stablehlo.tanh %wx : tensor<2x3xf32>
  %18 = stablehlo.abs %wx : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18
    : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @binary_floats
// CHECK-DAG: stablehlo.add %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.atan2 %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.divide %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.maximum %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.minimum %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.multiply %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.power %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.remainder %arg0, %arg1 : tensor<3xf32>
// CHECK-DAG: stablehlo.subtract %arg0, %arg1 : tensor<3xf32>
func.func @binary_floats(%x: tensor<3xf32>, %y: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wy = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.add %wx, %wy : tensor<2x3xf32>
  %1 = stablehlo.atan2 %wx, %wy : tensor<2x3xf32>
  %2 = stablehlo.divide %wx, %wy : tensor<2x3xf32>
  %3 = stablehlo.maximum %wx, %wy : tensor<2x3xf32>
  %4 = stablehlo.minimum %wx, %wy : tensor<2x3xf32>
  %5 = stablehlo.multiply %wx, %wy : tensor<2x3xf32>
  %6 = stablehlo.power %wx, %wy : tensor<2x3xf32>
  %7 = stablehlo.remainder %wx, %wy : tensor<2x3xf32>
  %8 = stablehlo.subtract %wx, %wy : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
    : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @unary_integers
// CHECK-DAG: stablehlo.count_leading_zeros %arg0 : tensor<3xi32>
// CHECK-DAG: stablehlo.not %arg0 : tensor<3xi32>
// CHECK-DAG: stablehlo.popcnt %arg0 : tensor<3xi32>
func.func @unary_integers(%x: tensor<3xi32>)
    -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %0 = stablehlo.count_leading_zeros %wx : tensor<2x3xi32>
  %1 = stablehlo.not %wx : tensor<2x3xi32>
  %2 = stablehlo.popcnt %wx : tensor<2x3xi32>
  return %0, %1, %2
    : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// CHECK-LABEL: @binary_integers
// CHECK-DAG: stablehlo.and %arg0, %arg1 : tensor<3xi32>
// CHECK-DAG: stablehlo.or %arg0, %arg1 : tensor<3xi32>
// CHECK-DAG: stablehlo.xor %arg0, %arg1 : tensor<3xi32>
// CHECK-DAG: stablehlo.shift_left %arg0, %arg1 : tensor<3xi32>
// CHECK-DAG: stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<3xi32>
// CHECK-DAG: stablehlo.shift_right_logical %arg0, %arg1 : tensor<3xi32>
func.func @binary_integers(%x: tensor<3xi32>, %y: tensor<3xi32>)
    -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %wy = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %0 = stablehlo.and %wx, %wy : tensor<2x3xi32>
  %1 = stablehlo.or %wx, %wy : tensor<2x3xi32>
  %2 = stablehlo.xor %wx, %wy : tensor<2x3xi32>
  %3 = stablehlo.shift_left %wx, %wy : tensor<2x3xi32>
  %4 = stablehlo.shift_right_arithmetic %wx, %wy : tensor<2x3xi32>
  %5 = stablehlo.shift_right_logical %wx, %wy : tensor<2x3xi32>
  return %0, %1, %2, %3, %4, %5
    : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// CHECK-LABEL: @other_types
// CHECK-DAG: stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xf64>
// CHECK-DAG: stablehlo.is_finite %arg0 : (tensor<3xf32>) -> tensor<3xi1>
// CHECK-DAG: stablehlo.compare LT, %arg0, %arg1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
// CHECK-DAG: stablehlo.complex %arg0, %arg1 : tensor<3xcomplex<f32>>
// CHECK-DAG: stablehlo.reduce_precision %arg0, format = e5m2 : tensor<3xf32>
// CHECK-DAG: stablehlo.real %arg2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
// CHECK-DAG: stablehlo.imag %arg2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
func.func @other_types(%x: tensor<3xf32>, %y: tensor<3xf32>, %z: tensor<3xcomplex<f32>>)
    -> (tensor<2x3xf64>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wy = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wz = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  %0 = stablehlo.convert %wx : (tensor<2x3xf32>) -> tensor<2x3xf64>
  %1 = stablehlo.is_finite %wx : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = stablehlo.compare LT, %wx, %wy : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = stablehlo.complex %wx, %wy : tensor<2x3xcomplex<f32>>
  %4 = stablehlo.reduce_precision %wx, format = e5m2 : tensor<2x3xf32>
  %5 = stablehlo.real %wz : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %6 = stablehlo.imag %wz : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xf64>, tensor<2x3xi1>, tensor<2x3xi1>,
    tensor<2x3xcomplex<f32>>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @ternary
// CHECK-DAG: stablehlo.clamp %arg0, %arg1, %arg2 : tensor<3xf32>
// CHECK-DAG: stablehlo.select %arg3, %arg0, %arg1 : tensor<3xi1>, tensor<3xf32>
func.func @ternary(%x: tensor<3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %p: tensor<3xi1>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %wx = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wy = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wz = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %wp = stablehlo.broadcast_in_dim %p, dims = [1] : (tensor<3xi1>) -> tensor<2x3xi1>
  %0 = stablehlo.clamp %wx, %wy, %wz : tensor<2x3xf32>
  %1 = stablehlo.select %wp, %wx, %wy : tensor<2x3xi1>, tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
