// The decomposition of a composite is refined with it; the C++ pass leaves invalid IR.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: @main
// CHECK: stablehlo.composite "my.op" %{{.*}}, %{{.*}} {decomposition = @impl} : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
// CHECK: stablehlo.composite "my.op" %{{.*}}, %{{.*}} {decomposition = @impl_0} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
func.func @main(%a: tensor<3xf32>, %b: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %k = stablehlo.constant dense<1> : tensor<i32>
  %x = stablehlo.abs %a : (tensor<3xf32>) -> tensor<?xf32>
  %y = stablehlo.abs %b : (tensor<4xf32>) -> tensor<?xf32>
  %0 = stablehlo.composite "my.op" %x, %k {decomposition = @impl} : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  %1 = stablehlo.composite "my.op" %y, %k {decomposition = @impl} : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: @impl(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32>
// CHECK-LABEL: @impl_0(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32>
func.func private @impl(%x: tensor<?xf32>, %k: tensor<i32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
