// A host kernel whose target LAPACK has a routine for calls that, for each matrix of the batch.
// RUN: %shlo-opt %s --shlo-implement-kernels | FileCheck %s

// CHECK: module attributes {shlo.host_calls = [{{{.*}}target = "lapack_spotrf_ffi"{{.*}}}]}
// CHECK: llvm.func @scipy_LAPACKE_spotrf(i32, i32, i32, !llvm.ptr, i32) -> i32
// CHECK-LABEL: func.func private @shlo.host.0(
// CHECK: memref.copy %arg2, %arg0
// CHECK: scf.for
// CHECK: %[[ORDER:.*]] = llvm.mlir.constant(102 : i32)
// CHECK: %[[UPPER:.*]] = llvm.mlir.constant(85 : i32)
// CHECK: %[[INFO:.*]] = llvm.call @scipy_LAPACKE_spotrf(%[[ORDER]], %[[UPPER]],
// CHECK: llvm.store %[[INFO]]
// CHECK: return %arg0, %arg1
func.func private @shlo.host.0(memref<7x4x4xf32>, memref<7xi32>, memref<7x4x4xf32>) -> (memref<7x4x4xf32>, memref<7xi32>)
  attributes {shlo.kernel = {kind = "host", target = "lapack_spotrf_ffi", config = {uplo = 76 : ui8},
    inputs = [tensor<7x4x4xf32>], results = [tensor<7x4x4xf32>, tensor<7xi32>]}}

// One whose sizes are not known goes through the host.
// CHECK-LABEL: func.func private @shlo.host.1(
// CHECK: call @shlo.call_host
func.func private @shlo.host.1(memref<?x4x4xf32>, memref<?xi32>, memref<?x4x4xf32>) -> (memref<?x4x4xf32>, memref<?xi32>)
  attributes {shlo.kernel = {kind = "host", target = "lapack_spotrf_ffi", config = {uplo = 76 : ui8},
    inputs = [tensor<?x4x4xf32>], results = [tensor<?x4x4xf32>, tensor<?xi32>]}}
