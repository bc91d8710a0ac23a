// Quantized types keep their scales, tuples their members, bounds what they bound; ops of other
// dialects are given the types that they were written for.
// RUN: %shlo-opt %s --shlo-refine-shapes | FileCheck %s

// CHECK-LABEL: @quantized
// CHECK-SAME: -> (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3xf32>)
// CHECK: stablehlo.uniform_quantize %{{.*}} : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @quantized(%a: tensor<3x2xf32>) -> (tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>, tensor<?x?xf32>) {
  %x = stablehlo.uniform_quantize %a : (tensor<3x2xf32>) -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
  %z = stablehlo.uniform_dequantize %y : (tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<?x?xf32>
  return %y, %z : tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>, tensor<?x?xf32>
}

// CHECK-LABEL: @tuples
// CHECK-SAME: -> tensor<3xf32>
// CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<3xf32>, tensor<?xf32, #stablehlo.bounds<8>>>
func.func @tuples(%a: tensor<3xf32>, %b: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32> {
  %x = stablehlo.abs %a : (tensor<3xf32>) -> tensor<?xf32>
  %t = stablehlo.tuple %x, %b : tuple<tensor<?xf32>, tensor<?xf32, #stablehlo.bounds<8>>>
  %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<?xf32>, tensor<?xf32, #stablehlo.bounds<8>>>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: @bounds
// CHECK-SAME: -> (tensor<3xf32>, tensor<?xf32, #stablehlo.bounds<8>>)
func.func @bounds(%a: tensor<3xf32>, %b: tensor<?xf32, #stablehlo.bounds<8>>)
    -> (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>) {
  %x = stablehlo.abs %a : (tensor<3xf32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %y = stablehlo.abs %b : tensor<?xf32, #stablehlo.bounds<8>>
  return %x, %y : tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>
}

// CHECK-LABEL: @others
// CHECK: %[[X:.*]] = stablehlo.abs %arg0 : tensor<3xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[X]] : tensor<3xf32> to tensor<?xf32>
// CHECK: arith.addf %[[C]], %[[C]] : tensor<?xf32>
// CHECK: call @external(%[[C]]) : (tensor<?xf32>) -> tensor<?xf32>
func.func @others(%a: tensor<3xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %x = stablehlo.abs %a : (tensor<3xf32>) -> tensor<?xf32>
  %0 = arith.addf %x, %x : tensor<?xf32>
  %1 = func.call @external(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func private @external(tensor<?xf32>) -> tensor<?xf32>

// Arguments of blocks are what all branches to them agree on, and results what all returns do.
// CHECK-LABEL: @blocks(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> tensor<3xf32>
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<3xf32>), ^bb2
// CHECK: ^bb1(%[[A:.*]]: tensor<3xf32>):
// CHECK-NEXT: return %[[A]] : tensor<3xf32>
func.func @blocks(%p: tensor<i1>, %a: tensor<3xf32>) -> tensor<?xf32> {
  %x = stablehlo.abs %a : (tensor<3xf32>) -> tensor<?xf32>
  %c = tensor.extract %p[] : tensor<i1>
  cf.cond_br %c, ^bb1(%x : tensor<?xf32>), ^bb2
^bb1(%y: tensor<?xf32>):
  return %y : tensor<?xf32>
^bb2:
  return %x : tensor<?xf32>
}
