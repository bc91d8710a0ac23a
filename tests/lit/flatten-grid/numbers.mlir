// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-flatten-grid{num-replicas=2 num-partitions=3})' --split-input-file | FileCheck %s

// Process (replica, partition) is replica 3 * replica + partition afterwards.
// CHECK-LABEL: func.func @ids
// CHECK: %[[ID:.*]] = stablehlo.replica_id
// CHECK: stablehlo.divide %[[ID]], %{{.*}} : tensor<ui32>
// CHECK: stablehlo.remainder
// CHECK-NOT: partition_id
func.func @ids() -> (tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}

// -----

// Replicas of one partition; all processes of a group of replicas; processes by their numbers.
// CHECK-LABEL: func.func @gathers
// CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<{{\[}}[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>}>
// CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<{{\[}}[0, 3, 1, 4, 2, 5]]> : tensor<1x6xi64>}>
// CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<{{\[}}[0, 5], [1, 4], [2, 3]]> : tensor<3x2xi64>}>
func.func @gathers(%x: tensor<1xf32>) -> (tensor<2xf32>, tensor<6xf32>, tensor<2xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xf32>) -> tensor<2xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<1xf32>) -> tensor<6xf32>
  %2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 5], [1, 4], [2, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<6xf32>, tensor<2xf32>
}

// -----

// Of a channel, partitions of each replica; without, replicas of each partition.
// CHECK-LABEL: func.func @permutes
// CHECK: source_target_pairs = dense<{{\[}}[0, 2], [3, 5]]> : tensor<2x2xi64>}>
// CHECK: source_target_pairs = dense<{{\[}}[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>}>
func.func @permutes(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<1xf32>) -> tensor<1xf32>
  %1 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<1xf32>, tensor<1xf32>
}
