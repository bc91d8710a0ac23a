// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.jobs =
// CHECK: module @kernels {
// CHECK: llvm.func internal @stage.0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.fadd
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A product alone needs no kernel of its own. Small matrices are read where they lie.
// CHECK-LABEL: func.func private @stage.0
// CHECK-NOT: shlo_rt_gemm_pack_f32
// CHECK-SAME: shlo_rt_gemm_rows_f32
// CHECK-NOT: llvm.func
func.func public @small(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Panels are multiplied by all rows, and packed for that alone, unless what is packed may be kept.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_gemm_pack_f32
// CHECK-SAME: shlo_rt_gemm_panels_f32
func.func public @packed(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

// One row is multiplied by blocks of columns.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_gemm_columns_f32
func.func public @row(%x: tensor<1x128xf32>, %y: tensor<128x128xf32>) -> tensor<1x128xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// -----

// A row and a transposed matrix: sums along both.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo_rt_gemm_dots_f32
func.func public @dots(%x: tensor<1x128xf32>, %y: tensor<128x128xf32>) -> tensor<1x128xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// -----

// Functions of the math library are called.
// CHECK-LABEL: llvm.func internal @stage.0
// CHECK: llvm.call @shlo_rt_sin_f32x
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.sine %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// bf16 is held as its bits, and rounded by integer arithmetic.
// CHECK-LABEL: llvm.func internal @stage.0
// CHECK: llvm.load {{.*}} -> vector<[[LANES:[0-9]+]]xi16>
// CHECK: llvm.zext {{.*}} : vector<[[LANES]]xi16> to vector<[[LANES]]xi32>
// CHECK: llvm.fadd {{.*}} : vector<[[LANES]]xf32>
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.store {{.*}} : vector<[[LANES]]xi16>
func.func public @main(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %0 = stablehlo.add %x, %x : tensor<64xbf16>
  return %0 : tensor<64xbf16>
}

// -----

// Parts of complex numbers are neighbours in memory and apart in registers.
// CHECK-LABEL: llvm.func internal @stage.0
// CHECK: %[[PAIRS:.*]] = llvm.load {{.*}} -> vector<[[TWICE:[0-9]+]]xf32>
// CHECK: llvm.shufflevector %[[PAIRS]], %[[PAIRS]] [0, 2,
// CHECK: llvm.shufflevector %[[PAIRS]], %[[PAIRS]] [1, 3,
// CHECK-COUNT-2: llvm.fadd
// CHECK: llvm.shufflevector
// CHECK: llvm.store {{.*}} : vector<[[TWICE]]xf32>
func.func public @main(%x: tensor<64xcomplex<f32>>) -> tensor<64xcomplex<f32>> {
  %0 = stablehlo.add %x, %x : tensor<64xcomplex<f32>>
  return %0 : tensor<64xcomplex<f32>>
}
