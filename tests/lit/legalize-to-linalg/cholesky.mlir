// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s
// RUN: %shlo-opt %s --to=linalg | %shlo-run --function=lower --input="2x2xf32=[[4,99],[2,5]]" | FileCheck %s --check-prefix=VALUES

// The result has a destination of its own; the matrix is read, not overwritten.
// CHECK-LABEL: @lower(
// CHECK-SAME: %[[A:.*]]: tensor<2x2xf32>)
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<2x2xf32>
// CHECK: %[[R:.*]] = call @[[LOWER:shlo.host.[0-9]+]](%[[OUT]], %[[A]])
// CHECK: return %[[R]]
func.func @lower(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: @upper_by_default(
// CHECK: call @[[UPPER:shlo.host.[0-9]+]](
func.func @upper_by_default(%a: tensor<3x2x2xcomplex<f64>>) -> tensor<3x2x2xcomplex<f64>> {
  %0 = stablehlo.cholesky %a : tensor<3x2x2xcomplex<f64>>
  return %0 : tensor<3x2x2xcomplex<f64>>
}

// CHECK: func.func private @[[LOWER]]
// CHECK-SAME: bufferization.access = "write"
// CHECK-SAME: bufferization.access = "read"
// CHECK-SAME: config = {lower = true}
// CHECK-SAME: kind = "host"
// CHECK-SAME: target = "shlo.cholesky"
// CHECK: func.func private @[[UPPER]]
// CHECK-SAME: config = {}

// VALUES: tensor<2x2xf32>
// VALUES: 2.{{.*}}0.
// VALUES: 1.{{.*}}2.
