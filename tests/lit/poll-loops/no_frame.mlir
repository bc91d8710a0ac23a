// Whether a loop is to end is asked through the frame.
// RUN: not %shlo-opt %s --shlo-poll-loops 2>&1 | FileCheck %s

// CHECK: error: not supported: {{.*}} it has no frame; shlo-attach-frame gives it one
func.func private @part(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @part(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @part(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
