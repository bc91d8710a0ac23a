// RUN: %shlo-opt %s --shlo-partition | FileCheck %s

// A scan that is unrolled to a tree of slices is done by blocks of eight elements: their sums, the
// scan of the sums (with what lies in front of each), and the blocks' own elements.
// CHECK-LABEL: func.func public @main
// CHECK-NEXT: %[[sums:.*]] = call @stage.0(%arg0) : (tensor<32x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[scan:.*]]:2 = call @stage.1(%[[sums]]) : (tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
// CHECK-NEXT: %[[all:.*]] = call @stage.2(%arg0, %[[scan]]#1, %[[scan]]#0)
// CHECK-NEXT: return %[[all]]
// CHECK: func.func private @stage.0
// CHECK-SAME: shlo.rows = array<i64: 4, 16>
// CHECK-SAME: shlo.stage = "batched"
// CHECK-COUNT-7: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: func.func private @stage.1
// CHECK-SAME: shlo.rows = array<i64: 1, 16>
// CHECK: func.func private @stage.2
// CHECK-SAME: shlo.rows = array<i64: 4, 16>
// CHECK: stablehlo.select
func.func public @main(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %x [0:31:2, 0:16] : (tensor<32x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.slice %x [1:32:2, 0:16] : (tensor<32x16xf32>) -> tensor<16x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<16x16xf32>
  %3 = stablehlo.slice %2 [0:15:2, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>
  %4 = stablehlo.slice %2 [1:16:2, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>
  %5 = stablehlo.add %3, %4 : tensor<8x16xf32>
  %6 = stablehlo.slice %5 [0:7:2, 0:16] : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %7 = stablehlo.slice %5 [1:8:2, 0:16] : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %8 = stablehlo.add %6, %7 : tensor<4x16xf32>
  %9 = stablehlo.slice %8 [0:3:2, 0:16] : (tensor<4x16xf32>) -> tensor<2x16xf32>
  %10 = stablehlo.slice %8 [1:4:2, 0:16] : (tensor<4x16xf32>) -> tensor<2x16xf32>
  %11 = stablehlo.add %9, %10 : tensor<2x16xf32>
  %12 = stablehlo.slice %11 [0:1:2, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
  %13 = stablehlo.slice %11 [1:2:2, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
  %14 = stablehlo.add %12, %13 : tensor<1x16xf32>
  %15 = stablehlo.slice %11 [0:1, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
  %16 = stablehlo.pad %15, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %17 = stablehlo.pad %14, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  %18 = stablehlo.add %16, %17 : tensor<2x16xf32>
  %19 = stablehlo.slice %8 [0:1, 0:16] : (tensor<4x16xf32>) -> tensor<1x16xf32>
  %20 = stablehlo.slice %18 [0:1, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
  %21 = stablehlo.slice %8 [2:4:2, 0:16] : (tensor<4x16xf32>) -> tensor<1x16xf32>
  %22 = stablehlo.add %20, %21 : tensor<1x16xf32>
  %23 = stablehlo.concatenate %19, %22, dim = 0 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<2x16xf32>
  %24 = stablehlo.pad %23, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %25 = stablehlo.pad %18, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %26 = stablehlo.add %24, %25 : tensor<4x16xf32>
  %27 = stablehlo.slice %5 [0:1, 0:16] : (tensor<8x16xf32>) -> tensor<1x16xf32>
  %28 = stablehlo.slice %26 [0:3, 0:16] : (tensor<4x16xf32>) -> tensor<3x16xf32>
  %29 = stablehlo.slice %5 [2:8:2, 0:16] : (tensor<8x16xf32>) -> tensor<3x16xf32>
  %30 = stablehlo.add %28, %29 : tensor<3x16xf32>
  %31 = stablehlo.concatenate %27, %30, dim = 0 : (tensor<1x16xf32>, tensor<3x16xf32>) -> tensor<4x16xf32>
  %32 = stablehlo.pad %31, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %33 = stablehlo.pad %26, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %34 = stablehlo.add %32, %33 : tensor<8x16xf32>
  %35 = stablehlo.slice %2 [0:1, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %36 = stablehlo.slice %34 [0:7, 0:16] : (tensor<8x16xf32>) -> tensor<7x16xf32>
  %37 = stablehlo.slice %2 [2:16:2, 0:16] : (tensor<16x16xf32>) -> tensor<7x16xf32>
  %38 = stablehlo.add %36, %37 : tensor<7x16xf32>
  %39 = stablehlo.concatenate %35, %38, dim = 0 : (tensor<1x16xf32>, tensor<7x16xf32>) -> tensor<8x16xf32>
  %40 = stablehlo.pad %39, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %41 = stablehlo.pad %34, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %42 = stablehlo.add %40, %41 : tensor<16x16xf32>
  %43 = stablehlo.slice %x [0:1, 0:16] : (tensor<32x16xf32>) -> tensor<1x16xf32>
  %44 = stablehlo.slice %42 [0:15, 0:16] : (tensor<16x16xf32>) -> tensor<15x16xf32>
  %45 = stablehlo.slice %x [2:32:2, 0:16] : (tensor<32x16xf32>) -> tensor<15x16xf32>
  %46 = stablehlo.add %44, %45 : tensor<15x16xf32>
  %47 = stablehlo.concatenate %43, %46, dim = 0 : (tensor<1x16xf32>, tensor<15x16xf32>) -> tensor<16x16xf32>
  %48 = stablehlo.pad %47, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<32x16xf32>
  %49 = stablehlo.pad %42, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<32x16xf32>
  %50 = stablehlo.add %48, %49 : tensor<32x16xf32>
  return %50 : tensor<32x16xf32>
}
