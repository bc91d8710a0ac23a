// Constants that have left the module stay where they are beside shapes.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s

memref.global "private" constant @shlo.weight.0 : memref<2xf32> = uninitialized

// CHECK-LABEL: func.func @main(
// CHECK: %[[BUFFER:.+]] = memref.get_global @shlo.weight.0 : memref<2xf32>
// CHECK: %[[BIAS:.+]] = bufferization.to_tensor %[[BUFFER]] restrict
// CHECK: stablehlo.dynamic_broadcast_in_dim %[[BIAS]]
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %g = memref.get_global @shlo.weight.0 : memref<2xf32>
  %b = bufferization.to_tensor %g restrict : memref<2xf32> to tensor<2xf32>
  %s = shape.shape_of %x : tensor<?x2xf32> -> tensor<2xindex>
  %d = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1]
    : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x2xf32>
  %r = stablehlo.add %x, %d : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
