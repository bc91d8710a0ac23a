// Along the given dimensions only, position i reads position size - 1 - i.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[LAST:.*]] = arith.constant 4 : index
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5xf32>)
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[FROM:.*]] = arith.subi %[[LAST]], %[[COLUMN]] : index
// CHECK: tensor.extract %arg0[%[[ROW]], %[[FROM]]]
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
