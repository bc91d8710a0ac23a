// RUN: %shlo-opt %s --shlo-lower-manual-computations --split-input-file | FileCheck %s

// Around the computation all is whole: the process cuts out its own part, and gathers all.
// CHECK-LABEL: func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK: %[[X:.*]] = stablehlo.abs %arg0
// CHECK: %[[ID:.*]] = stablehlo.partition_id
// CHECK: %[[ROWS:.*]] = stablehlo.constant dense<[0, 0, 2, 2]> : tensor<4xi32>
// CHECK: %[[ROW:.*]] = stablehlo.dynamic_slice %[[ROWS]], %[[ID]], sizes = [1]
// CHECK: %[[I:.*]] = stablehlo.reshape %[[ROW]]
// CHECK: %[[COLUMNS:.*]] = stablehlo.constant dense<[0, 3, 0, 3]> : tensor<4xi32>
// CHECK: %[[COLUMN:.*]] = stablehlo.dynamic_slice %[[COLUMNS]], %[[ID]], sizes = [1]
// CHECK: %[[J:.*]] = stablehlo.reshape %[[COLUMN]]
// CHECK: %[[PART:.*]] = stablehlo.dynamic_slice %[[X]], %[[I]], %[[J]], sizes = [2, 3]
// CHECK: %[[R:.*]] = call @body(%[[PART]]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[ROWS_OF_ALL:.*]] = "stablehlo.all_gather"(%[[R]]) <{all_gather_dim = 0 : i64,
// CHECK-SAME: replica_groups = dense<{{.*}}0, 2], [1, 3]
// CHECK-SAME: use_global_device_ids
// CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%[[ROWS_OF_ALL]]) <{all_gather_dim = 1 : i64,
// CHECK-SAME: replica_groups = dense<{{.*}}0, 1], [2, 3]
// CHECK: stablehlo.negate %[[ALL]] : tensor<4x6xf32>
module attributes {shlo.meshes = {mesh = "<[\22x\22=2, \22y\22=2]>"}} {
  func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.abs %a : tensor<4x6xf32>
    %1 = stablehlo.custom_call @shlo.manual_computation(%0) {
      called_computations = [@body],
      shlo.in_shardings = "[<@mesh, [{\22x\22}, {\22y\22}]>]",
      shlo.out_shardings = "[<@mesh, [{\22x\22}, {\22y\22}]>]",
      shlo.manual_axes = "{\22x\22, \22y\22}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.negate %1 : tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @body(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    return %a : tensor<2x3xf32>
  }
}

// -----

// What goes in and comes out directly is a part for whoever calls the program, and says so.
// The devices of this mesh are in another order. Constraints on shardings go.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: tensor<3xf32> {shlo.shard = "<mesh<[\22x\22=2], device_ids=[1, 0]>, [{\22x\22}]>"})
// CHECK-SAME: -> (tensor<3xf32> {a.b, shlo.shard = {{.*}}}, tensor<6xf32>)
// CHECK-NOT: partition_id
// CHECK: %[[R:.*]]:2 = call @body(%arg0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%[[R]]#1)
// CHECK-SAME: replica_groups = dense<{{.*}}1, 0]
// CHECK-NOT: optimization_barrier
// CHECK: %[[S:.*]] = stablehlo.negate %[[ALL]]
// CHECK: return %[[R]]#0, %[[S]]
module attributes {shlo.meshes = {mesh = "<[\22x\22=2], device_ids=[1, 0]>"}} {
  func.func @main(%a: tensor<6xf32>) -> (tensor<6xf32> {a.b}, tensor<6xf32>) {
    %0:2 = stablehlo.custom_call @shlo.manual_computation(%a) {
      called_computations = [@body],
      shlo.in_shardings = "[<@mesh, [{\22x\22, ?}]>]",
      shlo.out_shardings = "[<@mesh, [{\22x\22}]>, <@mesh, [{\22x\22}]>]",
      shlo.manual_axes = "{\22x\22}"} : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %1 = stablehlo.optimization_barrier {shlo.sharding_constraint = "<@mesh, [{}]>"} %0#1
      : tensor<6xf32>
    %2 = stablehlo.negate %1 : tensor<6xf32>
    return %0#0, %2 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @body(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    return %a, %a : tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Another barrier than those for shardings stays, and so does a function that is called.
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK: stablehlo.optimization_barrier
// CHECK: stablehlo.dynamic_slice
// CHECK: all_gather
module attributes {shlo.meshes = {mesh = "<[\22x\22=2]>"}} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.optimization_barrier %a : tensor<4xf32>
    %1 = stablehlo.custom_call @shlo.manual_computation(%0) {
      called_computations = [@body], shlo.in_shardings = "[<@mesh, [{\22x\22}]>]",
      shlo.out_shardings = "[<@mesh, [{\22x\22}]>]", shlo.manual_axes = "{\22x\22}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @body(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
  func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
