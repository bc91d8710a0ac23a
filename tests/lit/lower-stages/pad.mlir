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

// -----

// Rows of 18 pixels are rows of 54 numbers, which lie side by side.
// CHECK-LABEL: func.func private @stage.0
// CHECK-DAG: dense<54> : vector
// CHECK-DAG: llvm.mlir.constant(60 : i64)
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.icmp "ult" {{.*}} : vector
// CHECK: llvm.intr.masked.load
// CHECK: llvm.fsub
func.func public @main(%x: tensor<20x18x3xf32>, %y: tensor<20x20x3xf32>, %p: tensor<f32>) -> tensor<20x20x3xf32> {
  %0 = stablehlo.pad %x, %p, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<20x18x3xf32>, tensor<f32>) -> tensor<20x20x3xf32>
  %1 = stablehlo.subtract %0, %y : tensor<20x20x3xf32>
  return %1 : tensor<20x20x3xf32>
}

// -----

// One op among several tells pixels apart: lanes find theirs.
// CHECK-LABEL: func.func private @stage.0
// CHECK-DAG: dense<54> : vector
// CHECK-DAG: dense<57> : vector
// CHECK-DAG: dense<[0, 0, 0, 1, 1, 1,
func.func public @main(%x: tensor<20x18x3xf32>, %y: tensor<18x20x3xf32>, %z: tensor<20x19x3xf32>, %w: tensor<20x20xf32>, %p: tensor<f32>) -> tensor<20x20x3xf32> {
  %0 = stablehlo.pad %x, %p, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<20x18x3xf32>, tensor<f32>) -> tensor<20x20x3xf32>
  %1 = stablehlo.pad %y, %p, low = [2, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<18x20x3xf32>, tensor<f32>) -> tensor<20x20x3xf32>
  %2 = stablehlo.pad %z, %p, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<20x19x3xf32>, tensor<f32>) -> tensor<20x20x3xf32>
  %3 = stablehlo.broadcast_in_dim %w, dims = [0, 1] : (tensor<20x20xf32>) -> tensor<20x20x3xf32>
  %4 = stablehlo.subtract %0, %1 : tensor<20x20x3xf32>
  %5 = stablehlo.subtract %4, %2 : tensor<20x20x3xf32>
  %6 = stablehlo.multiply %5, %3 : tensor<20x20x3xf32>
  return %6 : tensor<20x20x3xf32>
}
