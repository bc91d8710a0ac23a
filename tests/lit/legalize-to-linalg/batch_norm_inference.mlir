// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// The root is taken once per feature, in f32; elements are rounded once.

// CHECK-LABEL: @main
// CHECK: linalg.generic
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: tensor<4xf32>
// CHECK: linalg.generic
// CHECK-COUNT-4: arith.extf
// CHECK-NOT: math.sqrt
// CHECK: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: tensor<8x4xbf16>
func.func @main(%x: tensor<8x4xbf16>, %scale: tensor<4xbf16>, %offset: tensor<4xbf16>,
                %mean: tensor<4xbf16>, %variance: tensor<4xbf16>) -> tensor<8x4xbf16> {
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
    <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
    : (tensor<8x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
    -> tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}
