// A process that nobody sends to gets zeros.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @to_itself
// CHECK-NEXT: return %arg0
func.func @to_itself(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @to_nobody
// CHECK: %[[ZEROS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: return %[[ZEROS]]
func.func @to_nobody(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<> : tensor<0x2xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @to_others(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{there is no partition 1: the grid has 1 in [[0, 1]]}}
  %0 = "stablehlo.collective_permute"(%a) {
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
