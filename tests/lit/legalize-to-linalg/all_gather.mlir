// A group of one process gathers its own operands; other processes are refused.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: return %arg1, %arg0
func.func @main(%a: tensor<2xf32>, %b: tensor<3xi8>) -> (tensor<3xi8>, tensor<2xf32>) {
  %0:2 = "stablehlo.all_gather"(%a, %b) {
    all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>
  } : (tensor<2xf32>, tensor<3xi8>) -> (tensor<2xf32>, tensor<3xi8>)
  return %0#1, %0#0 : tensor<3xi8>, tensor<2xf32>
}

// -----

func.func @others(%a: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a compiled program runs alone: there is no replica 1: the grid has 1 in [[0, 1]]}}
  %0 = "stablehlo.all_gather"(%a) {
    all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
  } : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @larger(%a: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{its types are those of a group of several processes}}
  %0 = "stablehlo.all_gather"(%a) {
    all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>
  } : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
