// Dot products are opaque, whatever they are of: the kernel says what the op says.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// Equal ones share a kernel; types are the op's, unsigned integers among them.
// CHECK-LABEL: @main
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<3x5xi8>
// CHECK: call @[[DOT:shlo.dot_general.[0-9]+]](%[[OUT]], %arg0, %arg1)
// CHECK-SAME: (tensor<3x5xi8>, tensor<3x4xi8>, tensor<4x5xi8>) -> tensor<3x5xi8>
// CHECK: call @[[DOT]](
func.func @main(%x: tensor<3x4xui8>, %y: tensor<4x5xui8>) -> (tensor<3x5xui8>, tensor<3x5xui8>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xui8>, tensor<4x5xui8>) -> tensor<3x5xui8>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xui8>, tensor<4x5xui8>) -> tensor<3x5xui8>
  return %0, %1 : tensor<3x5xui8>, tensor<3x5xui8>
}

// The sizes of a result are computed before the call, and checked.
// CHECK-LABEL: @unknown
// CHECK: call @shlo.check({{.*}} "stablehlo.dot_general: {{.*}} differ: {{.*}}"}
// CHECK: %[[OUT:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xbf16>
// CHECK: call @[[OTHER:shlo.dot_general.[0-9]+]](%[[OUT]], %arg0, %arg1)
func.func @unknown(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xbf16> {
  %0 = "stablehlo.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
    precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
  } : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK: func.func private @[[DOT]](
// CHECK-SAME: tensor<3x5xi8> {bufferization.access = "write"}, tensor<3x4xi8> {bufferization.access = "read"}
// CHECK-SAME: shlo.kernel = {kind = "dot_general"
// CHECK-SAME: op = {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
// CHECK-SAME: types = (tensor<3x4xui8>, tensor<4x5xui8>) -> tensor<3x5xui8>}
// CHECK: func.func private @[[OTHER]](
// CHECK-SAME: precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}
// CHECK-SAME: types = (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xbf16>}
