// Labels of unknown size: a repeated one is gathered, sums and products are as of known sizes.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s
// RUN: %shlo-run %s --function=diagonal --input="2x2xf32=[[1.0,2.0],[3.0,4.0]]" --expected-output="2xf32=[1.0,4.0]"
// RUN: %shlo-run %s --function=spread --input=2x3xf32=random:0 --compare=reference
// RUN: not %shlo-run %s --function=diagonal --input="1x2xf32=[[1.0,2.0]]" 2>&1 | FileCheck %s --check-prefix=SIZES

// CHECK-LABEL: @product
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
func.func @product(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: @diagonal
// CHECK: stablehlo.maximum
// CHECK: "stablehlo.dynamic_gather"
// SIZES: stablehlo.maximum: operands differ in type: tensor<(arg0.0)x2xi32> and tensor<(arg0.1)x2xi32>: arg0.1 = 2 is not arg0.0 = 1
func.func @diagonal(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ii->i"} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @dots
// CHECK-COUNT-2: stablehlo.dynamic_broadcast_in_dim
// CHECK: stablehlo.dot_general
func.func @dots(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?xf32> {
  %0 = stablehlo.einsum %a, %b, config = "...i,...i->..." : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @spread
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg0, %{{.*}}, dims = [2, 3] : (tensor<?x3xf32>, tensor<4xi32>) -> tensor<2x1x?x3xf32>
func.func @spread(%a: tensor<?x3xf32>) -> tensor<2x1x?x3xf32> {
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2, 1>}> : (tensor<?x3xf32>) -> tensor<2x1x?x3xf32>
  return %0 : tensor<2x1x?x3xf32>
}
