// Constants keep their bits: NaN payloads, and unsigned numbers under a type without signs.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @bits
// CHECK: arith.constant dense<[0x7FC00001, 0.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<[-1, 1]> : tensor<2xi8>
// CHECK: arith.constant dense<[true, false]> : tensor<2xi1>
func.func @bits() -> (tensor<2xf32>, tensor<2xui8>, tensor<2xi1>) {
  %0 = stablehlo.constant dense<[0x7FC00001, 0.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[255, 1]> : tensor<2xui8>
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xui8>, tensor<2xi1>
}

// Many equal elements are one that is written everywhere: no large tensor is held.
// CHECK-LABEL: @alike
// CHECK-NOT: dense
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00001 : f32
// CHECK-NOT: dense
// CHECK: linalg.generic {{.*}} ins(%[[NAN]] : f32) outs(%{{.*}} : tensor<1000x1000xf32>)
// CHECK-NOT: dense
// CHECK: return
func.func @alike() -> tensor<1000x1000xf32> {
  %0 = stablehlo.constant dense<0x7FC00001> : tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}
