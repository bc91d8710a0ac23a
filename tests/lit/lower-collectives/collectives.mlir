// RUN: %shlo-opt %s --split-input-file --pass-pipeline='builtin.module(shlo-lower-collectives{num-replicas=2 num-partitions=2})' | FileCheck %s
// RUN: %shlo-opt %s --split-input-file --shlo-lower-collectives | FileCheck %s --check-prefix=ALONE

// What a process does with others is a call of the host, with what its function is to know.
// CHECK-LABEL: func.func @gathers
// CHECK: stablehlo.custom_call @shlo.process.all_gather(%arg0)
// CHECK-SAME: has_side_effect = true
// CHECK-SAME: all_gather_dim = 0 : i64
// CHECK-SAME: channel_id = 1 : i64
// CHECK-SAME: grid = array<i64: 2, 2>
// CHECK-SAME: replica_groups = dense<{{.*}}0, 3], [2, 1]
// CHECK-SAME: use_global_device_ids = true
// A program alone keeps them.
// ALONE: stablehlo.all_gather
func.func @gathers(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{
    all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
  }> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The computation is a program for any number of elements; operands have its type.
// CHECK-LABEL: func.func @reduces
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xf64>
// CHECK: stablehlo.custom_call @shlo.process.all_reduce(%[[X]])
// CHECK-SAME: computation = "{{.*}}func.func @main(%arg0: tensor<?xf64>, %arg1: tensor<?xf64>) -> tensor<?xf64>
// CHECK-SAME: stablehlo.add %arg0, %arg1 : tensor<?xf64>
func.func @reduces(%a: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// What is no elementwise op is done for each element; constants from outside come along.
// CHECK-LABEL: func.func @captures
// CHECK: @shlo.process.all_reduce
// CHECK-SAME: stablehlo.map
// CHECK-SAME: stablehlo.constant dense<2>
func.func @captures(%a: tensor<2xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    %t = stablehlo.multiply %s, %c : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// A collective goes on beside its process; a slice is done when it begins.
// CHECK-LABEL: func.func @overlaps
// CHECK: %[[N:.*]] = stablehlo.custom_call @shlo.process.async_start(%arg0)
// CHECK-SAME: op = "collective_permute"
// CHECK-SAME: -> tensor<i64>
// CHECK: "stablehlo.async_start"
// CHECK: stablehlo.custom_call @shlo.process.async_done(%[[N]])
// CHECK: "stablehlo.async_done"
func.func @overlaps(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %f = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %p = "stablehlo.collective_permute"(%x) <{
      source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
    }> : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %p : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %g = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %p = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %p : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %1 = "stablehlo.async_done"(%g) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  return %0, %1 : tensor<2xf32>, tensor<1xf32>
}

// -----

// Feeds and channels; the size of the grid says nothing of them.
// CHECK-LABEL: func.func @feeds
// CHECK: stablehlo.custom_call @shlo.process.infeed
// CHECK: stablehlo.custom_call @shlo.process.send
// CHECK-SAME: channel_id = 3 : i64
// CHECK-SAME: is_host_transfer = true
func.func @feeds(%t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) <{
    channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true
  }> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %1 : !stablehlo.token
}
