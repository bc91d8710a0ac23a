// Ops whose dimensions play different parts, and ops with regions.
// RUN: stablehlo-opt %s --hlo-test-speculatability --split-input-file --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @regions
// CHECK-NEXT: return
func.func @regions(%p: tensor<i1>, %x: tensor<2xf32>, %d: tensor<?xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  "hlo_test_speculatability.is_recursively_speculatable"(%0) : (tensor<2xf32>) -> ()
  %1 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  "hlo_test_speculatability.is_recursively_speculatable"(%1) : (tensor<f32>) -> ()
  %2 = stablehlo.reduce(%d init: %i) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  "hlo_test_speculatability.is_not_speculatable"(%2) : (tensor<f32>) -> ()
  return
}

// -----

// Contracted sizes must be known; free ones where the result tells them.
// CHECK-LABEL: func.func @dot_general
// CHECK-NEXT: return
func.func @dot_general(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>, %c: tensor<2x?xf32>, %d: tensor<?x2xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  "hlo_test_speculatability.is_speculatable"(%0) : (tensor<?x?xf32>) -> ()
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x5xf32>
  "hlo_test_speculatability.is_not_speculatable"(%1) : (tensor<?x5xf32>) -> ()
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%2) : (tensor<2x2xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @places
// CHECK-NEXT: return
func.func @places(%x: tensor<2x?xf32>, %i: tensor<2x1xi32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x?xf32>) -> tensor<?x2xf32>
  "hlo_test_speculatability.is_speculatable"(%0) : (tensor<?x2xf32>) -> ()
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x?xf32>) -> tensor<4x2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%1) : (tensor<4x2xf32>) -> ()
  %2 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  "hlo_test_speculatability.is_speculatable"(%2) : (tensor<2x?xf32>) -> ()
  %3 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  "hlo_test_speculatability.is_not_speculatable"(%3) : (tensor<4x?xf32>) -> ()
  %4 = stablehlo.reshape %x : (tensor<2x?xf32>) -> tensor<8xf32>
  "hlo_test_speculatability.is_not_speculatable"(%4) : (tensor<8xf32>) -> ()
  return
}

// -----

// Shapes that are constants can be relied on; those that are computed cannot.
// CHECK-LABEL: func.func @shapes
// CHECK-NEXT: return
func.func @shapes(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  %c = stablehlo.constant dense<2> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %c : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  "hlo_test_speculatability.is_speculatable"(%0) : (tensor<2x2xf32>) -> ()
  %1 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%1) : (tensor<2x2xf32>) -> ()
  %2 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  "hlo_test_speculatability.is_speculatable"(%2) : (tensor<?x?xf32>) -> ()
  %3 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<2x?xf32>
  "hlo_test_speculatability.is_not_speculatable"(%3) : (tensor<2x?xf32>) -> ()
  return
}

// -----

// Promises that may not hold.
// CHECK-LABEL: func.func @promises
// CHECK-NEXT: return
func.func @promises(%a: tensor<2x2xf32>, %z: tensor<2xcomplex<f32>>, %d: tensor<?xcomplex<f32>>) {
  %0 = "stablehlo.triangular_solve"(%a, %a) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%0) : (tensor<2x2xf32>) -> ()
  %1 = "stablehlo.triangular_solve"(%a, %a) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  "hlo_test_speculatability.is_speculatable"(%1) : (tensor<2x2xf32>) -> ()
  %2 = stablehlo.fft %z, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  "hlo_test_speculatability.is_speculatable"(%2) : (tensor<2xcomplex<f32>>) -> ()
  return
}
