// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Elements a short row apart are slices, and what is made of them alone is computed of these.

// CHECK-LABEL: func.func @pairs(
// CHECK-NEXT:    call @stage.0
// CHECK-NEXT:    return
// CHECK:       func.func private @stage.0({{.*}}shlo.stage = "map"
// CHECK-NOT:     stablehlo.reduce
// CHECK:         stablehlo.slice %arg0 [0:800, 0:1, 0:30]
// CHECK:         stablehlo.multiply {{.*}} : tensor<800x30xf32>
// CHECK:         stablehlo.slice %arg0 [0:800, 1:2, 0:30]
// CHECK:         stablehlo.multiply {{.*}} : tensor<800x30xf32>
func.func @pairs(%x: tensor<800x2x30xf32>) -> tensor<800x30xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<800x2x30xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<800x2x30xf32>, tensor<f32>) -> tensor<800x30xf32>
  return %1 : tensor<800x30xf32>
}

// -----

// Sums of narrow floats have more digits, and are rounded once.

// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-2: stablehlo.add {{.*}} : tensor<8000x2xf32>
// CHECK:         stablehlo.convert {{.*}} : (tensor<8000x2xf32>) -> tensor<8000x2xbf16>
func.func @narrow(%x: tensor<8000x2x2xbf16>) -> tensor<8000x2xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8000x2x2xbf16>, tensor<bf16>) -> tensor<8000x2xbf16>
  return %0 : tensor<8000x2xbf16>
}

// -----

// What is spread over the elements again is passed with them, and so are rows of one operand, many
// elements, and few.

// CHECK-LABEL: func.func @spread(
// CHECK-COUNT-4: stablehlo.reduce
func.func @spread(%x: tensor<8000x2x3xf32>, %y: tensor<8000x4xf32>, %z: tensor<800x9x3xf32>,
                  %v: tensor<80x2x3xf32>)
    -> (tensor<8000x2x3xf32>, tensor<8000xf32>, tensor<800x3xf32>, tensor<80x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8000x2x3xf32>, tensor<f32>) -> tensor<8000x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<8000x3xf32>) -> tensor<8000x2x3xf32>
  %2 = stablehlo.divide %x, %1 : tensor<8000x2x3xf32>
  %3 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8000x4xf32>, tensor<f32>) -> tensor<8000xf32>
  %4 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<800x9x3xf32>, tensor<f32>) -> tensor<800x3xf32>
  %5 = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<80x2x3xf32>, tensor<f32>) -> tensor<80x3xf32>
  return %2, %3, %4, %5 : tensor<8000x2x3xf32>, tensor<8000xf32>, tensor<800x3xf32>, tensor<80x3xf32>
}

// -----

// What several ops read is no part of the reduction's stage, nor is a long computation.

// CHECK-LABEL: func.func @behind(
// CHECK-COUNT-2: stablehlo.reduce
func.func @behind(%x: tensor<8000x2x3xf32>, %y: tensor<8000x2x3xf32>)
    -> (tensor<8000x3xf32>, tensor<8000x2x3xf32>, tensor<8000x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<8000x2x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8000x2x3xf32>, tensor<f32>) -> tensor<8000x3xf32>
  %2 = stablehlo.multiply %y, %y : tensor<8000x2x3xf32>
  %3 = stablehlo.add %2, %y : tensor<8000x2x3xf32>
  %4 = stablehlo.multiply %3, %y : tensor<8000x2x3xf32>
  %5 = stablehlo.add %4, %y : tensor<8000x2x3xf32>
  %6 = stablehlo.multiply %5, %y : tensor<8000x2x3xf32>
  %7 = stablehlo.add %6, %y : tensor<8000x2x3xf32>
  %8 = stablehlo.multiply %7, %y : tensor<8000x2x3xf32>
  %9 = stablehlo.add %8, %y : tensor<8000x2x3xf32>
  %10 = stablehlo.multiply %9, %y : tensor<8000x2x3xf32>
  %11 = stablehlo.reduce(%10 init: %zero) applies stablehlo.maximum across dimensions = [1]
    : (tensor<8000x2x3xf32>, tensor<f32>) -> tensor<8000x3xf32>
  return %1, %0, %11 : tensor<8000x3xf32>, tensor<8000x2x3xf32>, tensor<8000x3xf32>
}
