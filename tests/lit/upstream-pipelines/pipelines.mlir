// RUN: stablehlo-opt --chlo-pre-serialization-pipeline %s | FileCheck %s
// RUN: stablehlo-opt --chlo-pre-serialization-pipeline --stablehlo-legalize-to-vhlo --vhlo-to-version='target=1.3.0' %s | FileCheck %s --check-prefix=OLD
// What was written for an old version reads back as the same text.
// RUN: stablehlo-opt --chlo-pre-serialization-pipeline %s > %t.0
// RUN: stablehlo-opt --chlo-pre-serialization-pipeline --stablehlo-legalize-to-vhlo --vhlo-to-version='target=1.3.0' %s | stablehlo-opt --stablehlo-deserialize > %t.1
// RUN: diff %t.0 %t.1
// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo -emit-bytecode %t.0 | stablehlo-opt --pass-pipeline='builtin.module(stablehlo-deserialize)' > %t.2
// RUN: diff %t.0 %t.2

// CHECK-LABEL: func.func @main
// CHECK-NOT: chlo.
// CHECK-NOT: shape.
// CHECK: stablehlo.cosine
// OLD-LABEL: vhlo.func_v1 @main
// OLD: vhlo.cosine_v1
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.cosine %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
