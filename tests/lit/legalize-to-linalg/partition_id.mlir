// A compiled program runs alone, as process (0, 0).
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main() -> tensor<i32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<i32>)
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
