// The shape that the program computes is checked against the static one, which is used.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[ROWS:.*]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: %[[COLUMNS:.*]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[A:.*]] = arith.cmpi eq, %[[ROWS]], %[[TWO]]
// CHECK: %[[SIX:.*]] = arith.constant 6 : index
// CHECK: %[[B:.*]] = arith.cmpi eq, %[[COLUMNS]], %[[SIX]]
// CHECK: %[[FITS:.*]] = arith.andi %[[A]], %[[B]]
// CHECK: %[[WRONG:.*]] = arith.xori %[[FITS]], %true
// CHECK: scf.if %[[WRONG]] {
// CHECK-NEXT: func.call @[[FAIL:.*]](%arg1) : (tensor<2xi8>) -> ()
// CHECK-NEXT: }
// CHECK: tensor.expand_shape %arg0
func.func @main(%a: tensor<12xf32>, %shape: tensor<2xui8>) -> tensor<2x6xf32> {
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<12xf32>, tensor<2xui8>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Nothing is left of what is known.
// CHECK-LABEL: @constant
// CHECK-NOT: scf.if
// CHECK: tensor.expand_shape
func.func @constant(%a: tensor<12xf32>) -> tensor<2x6xf32> {
  %shape = stablehlo.constant dense<[2, 6]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<12xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK: func.func private @[[FAIL]](tensor<2xi8>
// CHECK-SAME: message = "output_shape is {0}, the result is tensor<2x6xf32>", op = "stablehlo.dynamic_reshape", place = "{{.*}}:18:8"
// CHECK-SAME: inputs = [tensor<2xui8>]
// CHECK-SAME: target = "shlo.shape_mismatch"
