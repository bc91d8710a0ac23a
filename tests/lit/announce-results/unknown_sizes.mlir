// The host is told where a result of unknown size is, and its sizes: slots 2 and 4 of the table
// (an address per argument and result, the argument's size, the result's size). The result of
// known size stays a result.

// RUN: %shlo-opt --shlo-announce-results --split-input-file %s | FileCheck %s

// CHECK: func.func private @shlo.result.main.1(tensor<?xf32> {bufferization.access = "read"})
// CHECK-SAME: shlo.slots = array<i64: 1, 4>
// CHECK: func.func @main(%[[X:.*]]: tensor<?xf32>) -> tensor<4xf32>
// CHECK-SAME: shlo.announced = array<i64: 2, 0>
// CHECK: call @shlo.result.main.1(%[[X]]) : (tensor<?xf32>) -> ()
// CHECK: return %{{.*}} : tensor<4xf32>
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  return %x, %c : tensor<?xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @known(
// CHECK-NOT: shlo.announced
// CHECK: return %{{.*}} : tensor<4xf32>
func.func @known(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
