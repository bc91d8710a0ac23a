// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// The library transposes through tiles in registers.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_transpose_i32
// CHECK-NOT: llvm.func
func.func public @main(%x: tensor<64x65xf32>) -> tensor<65x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x65xf32>) -> tensor<65x64xf32>
  return %0 : tensor<65x64xf32>
}

// -----

// Pairs that move together are one element of twice the bits.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_transpose_i64
func.func public @main(%x: tensor<64x65x2xf32>) -> tensor<65x64x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<64x65x2xf32>) -> tensor<65x64x2xf32>
  return %0 : tensor<65x64x2xf32>
}

// -----

// Few elements are gathered by the kernel that reads them.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "map"
// CHECK: llvm.intr.masked.gather
// CHECK-NOT: @stage.1
func.func public @main(%x: tensor<8x9xf32>) -> tensor<9x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x9xf32>) -> tensor<9x8xf32>
  %1 = stablehlo.negate %0 : tensor<9x8xf32>
  return %1 : tensor<9x8xf32>
}

// -----

// Many elements are moved first, for a kernel that reads runs.
// CHECK-LABEL: func.func public @main
// CHECK-NEXT: %[[t:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: call @stage.1(%[[t]])
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo_rt_transpose_i32
// CHECK: func.func private @stage.1
// CHECK-NOT: gather
func.func public @main(%x: tensor<64x65xf32>) -> tensor<65x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x65xf32>) -> tensor<65x64xf32>
  %1 = stablehlo.negate %0 : tensor<65x64xf32>
  return %1 : tensor<65x64xf32>
}

// -----

// Short runs that stay together are copied as integers that overlap.
// CHECK-LABEL: func.func public @main(%arg0: tensor<8x9x3xi8>)
// CHECK: llvm.func internal @stage.0
// CHECK: llvm.load {{.*}} -> i16
// CHECK: llvm.load {{.*}} -> i16
// CHECK-NOT: vector
// CHECK: llvm.return
func.func public @main(%x: tensor<8x9x3xi8>) -> tensor<9x8x3xi8> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<8x9x3xi8>) -> tensor<9x8x3xi8>
  return %0 : tensor<9x8x3xi8>
}
