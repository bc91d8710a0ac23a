// A group of one process has nothing to combine; its operand takes the computation's type.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: return %arg0
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @promoted
// CHECK: arith.extui %{{.*}} : i8 to i32
func.func @promoted(%a: tensor<2xui8>) -> tensor<2xui32> {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):
    %1 = stablehlo.add %x, %y : tensor<ui32>
    stablehlo.return %1 : tensor<ui32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xui8>) -> tensor<2xui32>
  return %0 : tensor<2xui32>
}

// -----

func.func @others(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{not supported: stablehlo.collective_reduce (tensor<2xf32>) -> tensor<2xf32>: a compiled program runs alone}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
