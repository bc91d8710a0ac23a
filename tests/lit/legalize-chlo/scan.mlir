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

// Sizes of outputs that their type leaves open are those of what the body yields.
// CHECK-LABEL: @unknown_sizes
// CHECK: %[[N:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[M:.*]] = stablehlo.get_dimension_size %arg1, dim = 0
// CHECK: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<1xi32>
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}} : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.real_dynamic_slice %arg0
func.func @unknown_sizes(%x: tensor<?x?xf32>, %init: tensor<?xf32>) -> tensor<?x?xf32> {
  %0:2 = chlo.scan(%x) inits (%init) dimension=0 {
  ^bb0(%input: tensor<?xf32>, %carry: tensor<?xf32>):
    %1 = stablehlo.concatenate %carry, %carry, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %1, %input : tensor<?xf32>, tensor<?xf32>
  } : (tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  return %0#0 : tensor<?x?xf32>
}
