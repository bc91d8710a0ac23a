// Parallel loops that read their output take it as an input, whatever reads the result.
// RUN: %shlo-opt %s --shlo-read-inits-as-inputs | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-read-inits-as-inputs,func.func(linalg-fuse-elementwise-ops))' | FileCheck %s --check-prefix=FUSED
// RUN: %shlo-run %s --function=repeated --input="2xf32=[1,2]" --input="2xf32=[10,20]" --expected-output="2x3xf32=[[11,11,11],[22,22,22]]"
// RUN: %shlo-run %s --function=unknown --input="2x3xi32=[[1,2,3],[4,5,6]]" --expected-output="3x2xi32=[[2,8],[4,10],[6,12]]"

#row = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: @repeated
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[INIT:.*]]: tensor<2xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[INIT]] : tensor<2xf32>, tensor<2xf32>) outs(%[[EMPTY]] : tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[IN]], %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[S]] : f32

// FUSED-LABEL: @repeated
// FUSED: linalg.generic
// FUSED: ^bb0(%[[X:.*]]: f32, %[[IN:.*]]: f32, %{{.*}}: f32):
// FUSED-NEXT: arith.addf %[[IN]], %[[X]] : f32
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @repeated(%a: tensor<2xf32>, %init: tensor<2xf32>) -> tensor<2x3xf32> {
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : tensor<2xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.generic {indexing_maps = [#row, #two], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<2xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// Sizes that are unknown, a map that permutes, and an output that is not read.
// CHECK-LABEL: @unknown
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xi32>
// CHECK-DAG: %[[R:.*]] = tensor.dim %[[T:.*]], %c0{{.*}} : tensor<?x?xi32>
// CHECK-DAG: %[[C:.*]] = tensor.dim %[[T]], %c1{{.*}} : tensor<?x?xi32>
// CHECK: %[[FRESH:.*]] = tensor.empty(%[[R]], %[[C]]) : tensor<?x?xi32>
// CHECK: linalg.generic {indexing_maps = [#[[M:.*]], #[[P:.*]], #[[M]], #[[P]]], {{.*}} ins(%{{.*}}, %[[T]] : {{.*}}) outs(%[[E]], %[[FRESH]] :
func.func @unknown(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xi32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xi32>
  %f = tensor.empty(%d1, %d0) : tensor<?x?xi32>
  %t = linalg.transpose ins(%a : tensor<?x?xi32>) outs(%f : tensor<?x?xi32>) permutation = [1, 0]
  %0:2 = linalg.generic {indexing_maps = [#two, #two, #turned], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xi32>) outs(%e, %t : tensor<?x?xi32>, tensor<?x?xi32>) {
  ^bb0(%x: i32, %unread: i32, %out: i32):
    %s = arith.addi %out, %x : i32
    linalg.yield %x, %s : i32, i32
  } -> (tensor<?x?xi32>, tensor<?x?xi32>)
  return %0#1 : tensor<?x?xi32>
}

// Sums over a dimension are not fused into what uses them: they stay.
// CHECK-LABEL: @reduction
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<2xf32>)
func.func @reduction(%a: tensor<2x3xf32>, %init: tensor<2xf32>) -> tensor<2xf32> {
  %0 = linalg.generic {indexing_maps = [#two, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<2x3xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
