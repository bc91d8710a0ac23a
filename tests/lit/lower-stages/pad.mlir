// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// Where vectors begin with whole groups, lanes know their elements: a run is loaded and spread.
// CHECK-LABEL: func.func private @stage.0
// CHECK-NOT: llvm.udiv
// CHECK: llvm.icmp "ult"
// CHECK: llvm.intr.masked.load
// CHECK: llvm.shufflevector
// CHECK: llvm.select
func.func public @main(%x: tensor<16xf32>, %p: tensor<f32>) -> tensor<32xf32> {
  %0 = stablehlo.pad %x, %p, low = [1], high = [0], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// Elements that are further apart exist where a place divides without rest: the first lane's place
// is divided, and the others are compared with where its quotient ends.
// CHECK-LABEL: func.func private @stage.0
// CHECK: llvm.{{s|u}}div %{{.*}} : i64
// CHECK-NOT: llvm.udiv %{{.*}} : vector
// CHECK: llvm.icmp "uge"
// CHECK: llvm.icmp "ult"
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.select
func.func public @main(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<144xf32> {
  %0 = stablehlo.pad %x, %p, low = [1], high = [0], interior = [46] : (tensor<4xf32>, tensor<f32>) -> tensor<143xf32>
  %1 = stablehlo.pad %0, %p, low = [1], high = [0], interior = [0] : (tensor<143xf32>, tensor<f32>) -> tensor<144xf32>
  return %1 : tensor<144xf32>
}
