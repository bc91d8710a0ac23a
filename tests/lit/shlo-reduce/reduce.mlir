// What stays is the one op that the test needs, on the smallest shape.

// RUN: %shlo-reduce %s --test='! grep -q stablehlo.tanh {}' | FileCheck %s
// RUN: %shlo-reduce %s --test='! grep -q stablehlo.tanh {}' -o %t.mlir && FileCheck %s < %t.mlir
// RUN: %shlo-opt %t.mlir

// CHECK-NOT: stablehlo.dot_general
// CHECK: func.func @main
// CHECK: stablehlo.tanh {{.*}} : tensor<1x1xf32>
// CHECK-NOT: stablehlo.add

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
  %3 = stablehlo.tanh %2 : tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}
