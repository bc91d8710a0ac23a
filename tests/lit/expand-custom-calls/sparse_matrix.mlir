// A product with a matrix in CSR form is made of ops on dense tensors.
// RUN: %shlo-opt %s --shlo-expand-custom-calls | FileCheck %s

// CHECK-LABEL: @sparse_times_dense
// CHECK-DAG: "stablehlo.scatter"(%{{.*}}, %arg1, %{{.*}})
// CHECK-DAG: "stablehlo.reduce_window"
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}error_message = "cpu_csr_sparse_dense_ffi: an index leaves the matrix"
// CHECK: stablehlo.multiply
// CHECK: "stablehlo.scatter"
func.func @sparse_times_dense(%values: tensor<5xf32>, %ends: tensor<4xi32>, %columns: tensor<5xi32>, %dense: tensor<6x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%values, %ends, %columns, %dense) {mhlo.backend_config = {}} : (tensor<5xf32>, tensor<4xi32>, tensor<5xi32>, tensor<6x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
