// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file | FileCheck %s

// Loops over the window stand around the last loop of the result; an empty tensor has its shape.

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d0 * 2 + d1 * 3, d2)>
// CHECK-LABEL: @strided
// CHECK: %[[WINDOW:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[READ]],
// CHECK-SAME: iterator_types = ["parallel", "reduction", "parallel"]
func.func @strided(%x: tensor<20x5xf32>, %init: tensor<f32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 4, 1>,
      window_strides = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<20x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// Padding holds the init value.

// CHECK-LABEL: @padded
// CHECK: %[[INIT:.*]] = tensor.extract %arg1[]
// CHECK: linalg.generic {{.*}} ins(%[[INIT]] : f32) outs(%{{.*}} : tensor<9xf32>)
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1] [4] [2]
func.func @padded(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<8xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 2>,
      base_dilations = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A window over every prefix is a scan: one loop.

// CHECK-LABEL: @cumulative
// CHECK: call @shlo.scan.0
// CHECK: func.func private @shlo.scan.0
// CHECK-SAME: shlo.kernel = {dimension = 0 : i64, kind = "scan", neutral = true, reverse = false}
// CHECK-COUNT-1: scf.for
func.func @cumulative(%x: tensor<100xf32>) -> tensor<100xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 100>,
      padding = dense<[[99, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Fusion would compute what overlapping windows read once per window; being cut off prevents it.

// CHECK-LABEL: @overlapping
// CHECK: %[[SQUARE:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: %[[KEPT:.*]] = scf.execute_region -> tensor<8xf32> {
// CHECK-NEXT: scf.yield %[[SQUARE]]
// CHECK-NEXT: } {shlo.fusion_limit}
// CHECK: ins(%[[KEPT]],
func.func @overlapping(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<6xf32> {
  %square = stablehlo.multiply %x, %x : tensor<8xf32>
  %0 = "stablehlo.reduce_window"(%square, %init) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-LABEL: @apart
// CHECK-NOT: scf.execute_region
// CHECK: return
func.func @apart(%x: tensor<9xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %square = stablehlo.multiply %x, %x : tensor<9xf32>
  %0 = "stablehlo.reduce_window"(%square, %init) <{window_dimensions = array<i64: 3>,
      window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
