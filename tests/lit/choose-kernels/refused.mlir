// Descriptions that are no op are refused, whatever is wrong with them.
// RUN: not %shlo-opt %s --shlo-choose-kernels --split-input-file 2>&1 | FileCheck %s

// CHECK: error: @nothing has a description where `op` or `types` is missing
func.func private @nothing(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  attributes {shlo.kernel = {kind = "dot_general"}}

// -----

// CHECK: error: @others has a description whose types are not those of its operands
func.func private @others(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  attributes {shlo.kernel = {kind = "dot_general", op = {}, types = (tensor<2xf32>) -> tensor<2xf32>}}

// -----

// CHECK: error: {{.*}}requires attribute 'dot_dimension_numbers'
func.func private @empty(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  attributes {shlo.kernel = {kind = "dot_general", op = {}, types = (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>}}

// -----

// CHECK: error: {{.*}}contracting dimension sizes must match
func.func private @wrong(tensor<2x4xf32>, tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  attributes {shlo.kernel = {kind = "dot_general",
    op = {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>},
    types = (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>}}
