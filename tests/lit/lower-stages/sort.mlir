// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages --split-input-file | FileCheck %s

// One number of each element is compared: the library sorts keys, which are elements again.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "sort"
// CHECK: llvm.call @shlo_rt_sort_k32
func.func public @main(%x: tensor<500xf32>) -> tensor<500xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<500xf32>) -> tensor<500xf32>
  return %0 : tensor<500xf32>
}

// -----

// Any other comparator stands in a merge sort.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "sort"
// CHECK-NOT: shlo_rt_sort
// CHECK: llvm.fcmp "ole"
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A long line is sorted by jobs of several chunks: three passes over digits, of which the first one
// makes keys and the last one writes results, where the list between them lies.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: stage.0.count
// CHECK-SAME: stage.0.move
// CHECK-SAME: shlo_rt_sort_count_k32
// CHECK-SAME: shlo_rt_sort_move_k32
// CHECK-SAME: shlo_rt_sort_count_k32
// CHECK-SAME: stage.0.last
// CHECK-SAME: inside\22: {{\[\[}}0, [0]{{\]\]}}
// CHECK-NOT: stage.0.results
func.func public @main(%x: tensor<100000xi32>) -> tensor<100000xi32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100000xi32>) -> tensor<100000xi32>
  return %0 : tensor<100000xi32>
}

// -----

// Where only a few of the first ones are wanted, these are selected: nothing else is written.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: (%arg0: tensor<4x5000xf32>) -> tensor<4x10xf32>
// CHECK: llvm.call @shlo_rt_select_i64
func.func public @main(%x: tensor<4x5000xf32>) -> tensor<4x10xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<4x5000xf32>) -> tensor<4x5000xf32>
  %2 = stablehlo.slice %0 [0:4, 0:10] : (tensor<4x5000xf32>) -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}

// -----

// A sort by keys says no sizes: they are words of the context, as is how many lines a chunk takes.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: shlo.stage = "sort"
// CHECK: llvm.func
// CHECK-NOT: constant(600 : i64)
// CHECK-NOT: constant(70 : i64)
// CHECK: llvm.call @shlo_rt_sort_k32
// CHECK-NOT: constant(600 : i64)
// CHECK-NOT: constant(70 : i64)
// CHECK: llvm.return
func.func public @main(%x: tensor<600x70xf32>) -> tensor<600x70xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<600x70xf32>) -> tensor<600x70xf32>
  return %0 : tensor<600x70xf32>
}

// -----

// Of an argsort nobody wants the values: entries of keys and places are sorted.
// CHECK-LABEL: func.func private @stage.0
// CHECK-SAME: (%arg0: tensor<60x500xf32>) -> tensor<60x500xi32>
// CHECK: llvm.call @shlo_rt_sort_i64
func.func public @main(%x: tensor<60x500xf32>) -> tensor<60x500xi32> {
  %i = stablehlo.iota dim = 1 : tensor<60x500xi32>
  %0:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true}
    : (tensor<60x500xf32>, tensor<60x500xi32>) -> (tensor<60x500xf32>, tensor<60x500xi32>)
  return %0#1 : tensor<60x500xi32>
}
