// A barrier's results have the types of its operands: where an argument keeps its own, by a cast.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s
// RUN: %shlo-run %s --input='1x1xi32=[[3]]' | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: @main
// CHECK-SAME: -> tensor<1x1xi32>
// CHECK: %[[C:.*]] = tensor.cast %arg0 : tensor<?x1xi32> to tensor<1x1xi32>
// CHECK: stablehlo.optimization_barrier %[[C]] : tensor<1x1xi32>
// VALUE: 3
func.func @main(%x: tensor<?x1xi32>) -> tensor<?x1xi32> {
  %c = stablehlo.constant dense<0> : tensor<1x1xi32>
  %0 = stablehlo.add %c, %x : (tensor<1x1xi32>, tensor<?x1xi32>) -> tensor<1x1xi32>
  %1 = stablehlo.optimization_barrier %x : tensor<?x1xi32>
  return %1 : tensor<?x1xi32>
}
