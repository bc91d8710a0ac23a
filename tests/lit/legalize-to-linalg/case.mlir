// The index is compared with all branches but the last, which takes what is out of range.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[INDEX:.*]] = tensor.extract %arg0[] : tensor<i32>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[INDEX]], %[[ZERO]] : i32
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: scf.yield %arg1
// CHECK: else
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[INDEX]], %[[ONE]] : i32
// CHECK: scf.if %[[SECOND]]
// CHECK-NEXT: scf.yield %arg2
// CHECK: else
// CHECK-NEXT: scf.yield %arg3
func.func @main(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The only branch is the last one.
// CHECK-LABEL: @one_branch
// CHECK-NOT: scf.if
// CHECK: return %arg1
func.func @one_branch(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
