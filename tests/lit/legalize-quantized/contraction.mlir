// Contractions compute on numbers; with a quantized rhs only, that is all they do.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!kernel = !quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>
!result = !quant.uniform<i32:f32:1, {0.25, 0.125}>
!filters = !quant.uniform<i8:f32:2, {0.5, 0.25}>

// CHECK-LABEL: @dot_general
// CHECK-SAME: (%arg0: tensor<3x4xi8>, %arg1: tensor<4x2xi8>) -> tensor<3x2xi32>
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.divide %[[DOT]]
// CHECK: stablehlo.convert %{{.*}} : (tensor<3x2xf32>) -> tensor<3x2xi32>
func.func @dot_general(%x: tensor<3x4x!q>, %w: tensor<4x2x!kernel>) -> tensor<3x2x!result> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4x!q>, tensor<4x2x!kernel>) -> tensor<3x2x!result>
  return %0 : tensor<3x2x!result>
}

// CHECK-LABEL: @hybrid_dot_general
// CHECK: %[[W:.*]] = stablehlo.multiply
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %[[W]]
// CHECK-NEXT: return %[[DOT]]
func.func @hybrid_dot_general(%x: tensor<3x4xf32>, %w: tensor<4x2x!kernel>) -> tensor<3x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2x!kernel>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @convolution
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) {{.*}} : (tensor<1x5x3xf32>, tensor<3x3x2xf32>) -> tensor<1x5x2xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<1x5x2xf32>) -> tensor<1x5x2xi8>
func.func @convolution(%x: tensor<1x5x3x!q>, %w: tensor<3x3x2x!filters>) -> tensor<1x5x2x!q> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x3x!q>, tensor<3x3x2x!filters>) -> tensor<1x5x2x!q>
  return %0 : tensor<1x5x2x!q>
}

// Every result is quantized as its own type says.
// CHECK-LABEL: @batch_norm_training
// CHECK: "stablehlo.batch_norm_training"(%{{.*}}) {{.*}} -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
// CHECK-COUNT-3: stablehlo.round_nearest_even
func.func @batch_norm_training(%x: tensor<4x2x!q>, %s: tensor<2x!q>, %o: tensor<2x!q>) -> (tensor<4x2x!q>, tensor<2x!q>, tensor<2x!q>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.01 : f32, feature_index = 1 : i64}
    : (tensor<4x2x!q>, tensor<2x!q>, tensor<2x!q>) -> (tensor<4x2x!q>, tensor<2x!q>, tensor<2x!q>)
  return %0#0, %0#1, %0#2 : tensor<4x2x!q>, tensor<2x!q>, tensor<2x!q>
}
