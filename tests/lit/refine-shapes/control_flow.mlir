// Loops keep the sizes that an iteration keeps, branches those that they agree on.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: @loop
// CHECK-SAME: -> tensor<3x?xf32>
// CHECK: %[[X:.*]] = stablehlo.abs %arg0 : tensor<3x4xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[X]] : tensor<3x4xf32> to tensor<3x?xf32>
func.func @loop(%a: tensor<3x4xf32>, %n: tensor<i32>) -> tensor<?x?xf32> {
  %x = stablehlo.abs %a : (tensor<3x4xf32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.while(%{{.*}} = %[[C]], {{.*}}) : tensor<3x?xf32>, tensor<i32>
  %0:2 = stablehlo.while(%y = %x, %i = %n) : tensor<?x?xf32>, tensor<i32>
    cond {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
      %z = stablehlo.concatenate %y, %y, dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      stablehlo.return %z, %i : tensor<?x?xf32>, tensor<i32>
    }
  return %0#0 : tensor<?x?xf32>
}

// CHECK-LABEL: @branches
// CHECK-SAME: -> tensor<?x4xf32>
// CHECK: "stablehlo.case"(%arg2)
// CHECK: %[[Y:.*]] = stablehlo.transpose %{{.*}} : (tensor<4x5xf32>) -> tensor<5x4xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[Y]] : tensor<5x4xf32> to tensor<?x4xf32>
// CHECK: stablehlo.return %[[C]] : tensor<?x4xf32>
// CHECK: (tensor<i32>) -> tensor<?x4xf32>
func.func @branches(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %n: tensor<i32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.case"(%n) ({
    %x = stablehlo.abs %a : (tensor<3x4xf32>) -> tensor<?x?xf32>
    stablehlo.return %x : tensor<?x?xf32>
  }, {
    %y = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<?x?xf32>
    stablehlo.return %y : tensor<?x?xf32>
  }) : (tensor<i32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: @computation
// CHECK: ^bb0(%{{.*}}: tensor<5xf32>):
func.func @computation(%a: tensor<5xf32>) -> tensor<?xf32> {
  %x = stablehlo.abs %a : (tensor<5xf32>) -> tensor<?xf32>
  %f = "stablehlo.async_start"(%x) ({
    ^bb0(%v: tensor<?xf32>):
      %s = stablehlo.slice %v [1:3] : (tensor<?xf32>) -> tensor<2xf32>
      stablehlo.return %s : tensor<2xf32>
  }) : (tensor<?xf32>) -> !stablehlo.future<tensor<2xf32>>
  // CHECK: "stablehlo.async_done"(%{{.*}}) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
