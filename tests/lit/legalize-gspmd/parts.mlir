// RUN: %shlo-opt %s --shlo-legalize-gspmd --split-input-file | FileCheck %s
// RUN: %shlo-opt %s --shlo-legalize-gspmd --shlo-lower-manual-computations --split-input-file | FileCheck %s --check-prefix=LOWER

// What JAX writes: the sharding of the whole array is that of the op around a call.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = stablehlo.custom_call @shlo.part(%arg0)
// CHECK-SAME: shlo.sharding = "<mesh<{{.}}\220\22=2, \221\22=2]>, [{\220\22}, {\221\22}]>"
// CHECK-SAME: (tensor<8x4xf32>) -> tensor<4x2xf32>
// CHECK: %[[Y:.*]] = call @body(%[[X]])
// CHECK: stablehlo.custom_call @shlo.whole(%[[Y]])
// CHECK-SAME: device_ids=[0, 2, 1, 3]>, [{}, {\221\22}]>
// CHECK-SAME: (tensor<4x2xf32>) -> tensor<4x4xf32>
// LOWER-LABEL: func.func @main(%arg0: tensor<4x2xf32> {shlo.shard
// LOWER: %[[Y:.*]] = call @body(%arg0)
// LOWER: return %[[Y]]
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2]<=[4]}"}
      : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %2 = call @body(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"}
      : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {
      mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}
      : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
  func.func private @body(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
    return %a : tensor<4x2xf32>
  }
}

// -----

// Ops between cuts and joins need no function; an argument may say how it is cut; advice goes.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = stablehlo.custom_call @shlo.part(%arg0)
// CHECK: %[[Y:.*]] = stablehlo.negate %[[X]] : tensor<2xf32>
// CHECK: %[[Z:.*]] = stablehlo.custom_call @shlo.whole(%[[Y]])
// CHECK: %[[R:.*]] = stablehlo.abs %[[Z]]
// CHECK-NEXT: return %[[R]]
// LOWER-LABEL: func.func @main(%arg0: tensor<2xf32>
// LOWER: stablehlo.negate
// LOWER: "stablehlo.all_gather"
// LOWER: stablehlo.abs {{.*}} tensor<4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]1,0}"}) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"}
      : (tensor<4xf32>) -> tensor<2xf32>
    %1 = stablehlo.negate %0 : tensor<2xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]1,0}"}
      : (tensor<2xf32>) -> tensor<4xf32>
    %3 = stablehlo.abs %2 : tensor<4xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{replicated}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}

// -----

// What every device has whole is itself.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: return %arg0
// LOWER: return %arg0
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
