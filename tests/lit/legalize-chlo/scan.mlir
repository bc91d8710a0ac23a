// A scan is a loop over the positions of its dimension.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @forward
// CHECK: %[[STEP:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: %[[EMPTY:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8x3xf32>
// CHECK: stablehlo.while(%[[I:.*]] = %[[STEP]], %[[OUT:.*]] = %[[EMPTY]], %[[CARRY:.*]] = %arg1)
// CHECK: %[[END:.*]] = stablehlo.constant dense<8> : tensor<i32>
// CHECK: stablehlo.compare LT, %[[I]], %[[END]]
// CHECK: %[[SLICE:.*]] = stablehlo.dynamic_slice %arg0, %[[I]], %{{.*}}, sizes = [1, 3]
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[SLICE]] : (tensor<1x3xf32>) -> tensor<3xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[ROW]], %[[CARRY]]
// CHECK: %[[AS_SLICE:.*]] = stablehlo.reshape %[[SUM]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[WRITTEN:.*]] = stablehlo.dynamic_update_slice %[[OUT]], %[[AS_SLICE]], %[[I]]
// CHECK: stablehlo.return %{{.*}}, %[[WRITTEN]], %[[SUM]]
func.func @forward(%x: tensor<8x3xf32>, %init: tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>) {
  %0:2 = chlo.scan(%x) inits (%init) dimension=0 {
  ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
    %1 = stablehlo.add %input, %carry : tensor<3xf32>
    stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<8x3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @backward
// CHECK: %[[LAST:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK: stablehlo.subtract %[[LAST]], %{{.*}} : tensor<i32>
func.func @backward(%x: tensor<8x3xf32>, %init: tensor<3xf32>) -> tensor<8x3xf32> {
  %0:2 = chlo.scan(%x) inits (%init) dimension=0 attributes {is_reverse = true} {
  ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
    stablehlo.return %carry, %input : tensor<3xf32>, tensor<3xf32>
  } : (tensor<8x3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>)
  return %0#0 : tensor<8x3xf32>
}
