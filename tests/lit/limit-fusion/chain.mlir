// Ops that together hold more scalar ops than a group may are fused in parts.
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-limit-fusion{most=4})' | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-limit-fusion{most=4},func.func(linalg-fuse-elementwise-ops),shlo-lift-fusion-limits)' | FileCheck %s --check-prefix=FUSED

// Each body holds two ops, so that two of them fill a group.
// CHECK-LABEL: @chain
// CHECK: linalg.generic
// CHECK: %[[SECOND:.*]] = linalg.generic
// CHECK: %[[CUT:.*]] = scf.execute_region -> tensor<4xf32> {
// CHECK-NEXT: scf.yield %[[SECOND]] : tensor<4xf32>
// CHECK: } {shlo.fusion_limit}
// CHECK: linalg.generic {{.*}} ins(%[[CUT]] : tensor<4xf32>)

// FUSED-LABEL: @chain
// FUSED: linalg.generic
// FUSED: arith.negf
// FUSED: arith.negf
// FUSED-NOT: scf.execute_region
// FUSED: linalg.generic
// FUSED: arith.negf
// FUSED-NOT: linalg.generic
#same = affine_map<(d0) -> (d0)>
func.func @chain(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What is used twice is not fused, and counts for nothing.
// CHECK-LABEL: @shared
// CHECK-NOT: scf.execute_region
// CHECK: return
func.func @shared(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    %m = math.absf %n : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    %m = math.absf %n : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A region that the program itself has stays.
// FUSED-LABEL: @kept
// FUSED: scf.execute_region
func.func private @effect()
func.func @kept(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.execute_region -> tensor<4xf32> {
    func.call @effect() : () -> ()
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
