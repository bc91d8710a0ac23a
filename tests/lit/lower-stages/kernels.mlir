// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.jobs =
// CHECK: module @kernels.0 attributes {shlo.kernels = ["stage.0"]}
// CHECK: llvm.func internal @stage.0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.fadd
// CHECK: llvm.func @addresses
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A product alone needs no kernel of its own.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_gemm_pack_f32
// CHECK-SAME: shlo_rt_gemm_rows_f32
// CHECK-NOT: llvm.func
func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// What kernels cannot compute says why, and keeps its ops.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.plain = "math.atan2 of vector<32xf32>"
// CHECK: stablehlo.atan2
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.atan2 %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
