// Diagonals, sums and transposes of one operand.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// A diagonal is every (n + 1)th element in row-major order.
// CHECK-LABEL: @diagonal
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %{{.*}} : (tensor<3x3xf32>) -> tensor<9xf32>
// CHECK: stablehlo.slice %[[FLAT]] [0:9:4] : (tensor<9xf32>) -> tensor<3xf32>
func.func @diagonal(%a: tensor<3x3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Without an arrow it is summed: the trace.
// CHECK-LABEL: @trace
// CHECK: stablehlo.slice %{{.*}} [0:9:4]
// CHECK: stablehlo.reduce(%{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
func.func @trace(%a: tensor<3x3xi32>) -> tensor<i32> {
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ii"} : (tensor<3x3xi32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// And the other way round, with n zeros behind each value.
// CHECK-LABEL: @onto_diagonal
// CHECK: %[[COLUMN:.*]] = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK: stablehlo.pad %[[COLUMN]], %{{.*}}, low = [0, 0], high = [0, 3], interior = [0, 0]
// CHECK: stablehlo.slice %{{.*}} [0:9] : (tensor<12xf32>) -> tensor<9xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<9xf32>) -> tensor<3x3xf32>
func.func @onto_diagonal(%a: tensor<3xf32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "i->ii"} : (tensor<3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: @transposed
// CHECK: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK-NEXT: return %[[T]]
func.func @transposed(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ij->ji"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
