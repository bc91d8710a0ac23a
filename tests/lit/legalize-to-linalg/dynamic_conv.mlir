// The part of the padded input that windows see is made first; then nothing is left to pad.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: scf.if
// CHECK-NEXT: func.call @shlo.host.0(%arg2)
// CHECK: %[[SEEN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x1xf32>)
// CHECK: tensor.extract %arg0
// CHECK: arith.select
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic
// CHECK: arith.mulf
func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<3x1x1xf32>, %padding: tensor<1x2xi64>) -> tensor<1x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}
