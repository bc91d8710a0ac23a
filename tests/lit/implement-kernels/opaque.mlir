// A kernel of another kind is refused.
// RUN: not %shlo-opt %s --shlo-implement-kernels 2>&1 | FileCheck %s

// CHECK: error: @shlo.dot_general.0: nothing implements kernels of kind 'dot_general' here
func.func private @shlo.dot_general.0(memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>) -> memref<2x2xf32>
  attributes {shlo.kernel = {kind = "dot_general"}}
