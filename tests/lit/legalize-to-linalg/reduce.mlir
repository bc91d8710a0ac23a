// Results start as the init values, whatever those are; the body may use values from outside.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// CHECK: #[[KEPT:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @captures
// CHECK: %[[INIT:.*]] = tensor.extract %arg1[] : tensor<f32>
// CHECK: %[[START:.*]] = linalg.generic {{.*}} ins(%[[INIT]] : f32) outs(%{{.*}} : tensor<3xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[KEPT]]], iterator_types = ["reduction", "parallel"]}
// CHECK-SAME: ins(%arg0 : tensor<2x3xf32>) outs(%[[START]] : tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[TOTAL:.*]]: f32)
// CHECK: %[[SCALE:.*]] = tensor.extract %arg2[] : tensor<f32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ELEMENT]], %[[SCALE]]
// CHECK: arith.addf %[[TOTAL]], %[[SCALED]]
func.func @captures(%x: tensor<2x3xf32>, %init: tensor<f32>, %k: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.multiply %b, %k : tensor<f32>
      %2 = stablehlo.add %a, %1 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %0 : tensor<3xf32>
}

// -----

// The body may work in a wider type than the input.
// CHECK-LABEL: @promoted
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xbf16>) outs(%{{.*}} : tensor<f32>)
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.maximumf %{{.*}} : f32
func.func @promoted(%x: tensor<4xbf16>, %init: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xbf16>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
