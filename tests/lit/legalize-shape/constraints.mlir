// What witnesses stand for is asserted where they are made; what they guard follows.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s

// CHECK-LABEL: func.func @assuming(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<i1>)
// CHECK: stablehlo.custom_call @shape_assertion(%arg2) {error_message = "first {{{{}}a}", has_side_effect = true} : (tensor<i1>) -> ()
// CHECK: %[[M:.+]] = stablehlo.convert
// CHECK: %[[N:.+]] = stablehlo.convert
// CHECK: %[[SAME:.+]] = stablehlo.compare EQ, %[[M]], %[[N]], SIGNED
// CHECK: stablehlo.custom_call @shape_assertion(%[[SAME]], %[[M]], %[[N]]) {error_message = "required equal shapes: [{0}] and [{1}]", has_side_effect = true}
// CHECK-NOT: shape_assertion
// CHECK: %[[R:.+]] = stablehlo.add %arg0, %arg1
// CHECK: return %[[R]]
func.func @assuming(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  %w0 = shape.cstr_require %p, "first {a}"
  %a = shape.shape_of %x : tensor<?xf32> -> !shape.shape
  %b = shape.shape_of %y : tensor<?xf32> -> !shape.shape
  %w1 = shape.cstr_eq %a, %b : !shape.shape, !shape.shape
  %w2 = shape.const_witness true
  %w = shape.assuming_all %w0, %w1, %w2
  %r = shape.assuming %w -> (tensor<?xf32>) {
    %z = stablehlo.add %x, %y : tensor<?xf32>
    shape.assuming_yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A broadcast behind its constraint asks and asserts nothing again.
// CHECK-LABEL: func.func @guarded(
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "required broadcastable shapes: [{0}] and [{1}]"
// CHECK-NOT: shape_assertion
// CHECK: stablehlo.dynamic_broadcast_in_dim
// CHECK-NOT: shape_assertion
// CHECK: return
func.func @guarded(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %b = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %w = shape.cstr_broadcastable %a, %b : tensor<1xindex>, tensor<1xindex>
  %r = shape.assuming %w -> (tensor<?xf32>) {
    %s = shape.broadcast %a, %b : tensor<1xindex>, tensor<1xindex> -> tensor<1xindex>
    %z = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
      : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
    shape.assuming_yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
