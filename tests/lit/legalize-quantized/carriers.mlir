// Signatures, calls and control flow carry integers; a function keeps the types the host sees.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>

// CHECK: func.func @main(%arg0: tensor<2xi8>) -> tensor<2xi8>
// CHECK-SAME: shlo.signature = (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK: call @inner(%arg0) : (tensor<2xi8>) -> tensor<2xi8>
func.func @main(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = call @inner(%x) : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// CHECK: func.func private @inner(%arg0: tensor<2xi8>) -> tensor<2xi8> {
// CHECK: stablehlo.while(%{{.*}} = %arg0, %{{.*}}) : tensor<2xi8>, tensor<i32>
// CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<2xi8>, tensor<i32>
func.func private @inner(%x: tensor<2x!q>) -> tensor<2x!q> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%y = %x, %i = %zero) : tensor<2x!q>, tensor<i32> cond {
    %more = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %twice = stablehlo.add %y, %y : tensor<2x!q>
    stablehlo.return %twice, %i : tensor<2x!q>, tensor<i32>
  }
  return %0#0 : tensor<2x!q>
}

// CHECK: func.func private @branches(%arg0: tensor<2xi8>, %arg1: tensor<i1>) -> tensor<2xi8>
// CHECK: "stablehlo.if"(%arg1)
// CHECK: stablehlo.return %arg0 : tensor<2xi8>
// CHECK: (tensor<i1>) -> tensor<2xi8>
func.func private @branches(%x: tensor<2x!q>, %p: tensor<i1>) -> tensor<2x!q> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x!q>
  }, {
    %1 = stablehlo.negate %x : tensor<2x!q>
    stablehlo.return %1 : tensor<2x!q>
  }) : (tensor<i1>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// CHECK: func.func private @tuples(%arg0: tuple<tensor<2xi8>, tensor<i1>>) -> tensor<2xi8>
// CHECK: stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<2xi8>, tensor<i1>>) -> tensor<2xi8>
func.func private @tuples(%x: tuple<tensor<2x!q>, tensor<i1>>) -> tensor<2x!q> {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2x!q>, tensor<i1>>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// CHECK: func.func private @declared(tensor<2xi8>)
func.func private @declared(tensor<2x!q>)

// CHECK: stablehlo.custom_call @target(%arg0) : (tensor<2xi8>) -> tensor<2xi8>
func.func private @custom(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = stablehlo.custom_call @target(%x) : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}
