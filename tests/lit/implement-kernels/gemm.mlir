// A product becomes one call of BLAS per matrix; leading dimensions are those of what is stored.
// RUN: %shlo-opt %s --shlo-implement-kernels | FileCheck %s

// lhs is stored as 3x2 and transposed (112), rhs as 3x5 and not (111); row-major is 101.
// CHECK-DAG: llvm.func @scipy_cblas_sgemm(
// CHECK-LABEL: func.func private @shlo.gemm.0(
// CHECK-NOT: linalg.generic
// CHECK-NOT: scf.for
// CHECK: %[[LDA:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[LDB:.*]] = llvm.mlir.constant(5 : i32)
// CHECK: %[[LDC:.*]] = llvm.mlir.constant(5 : i32)
// CHECK: %[[ORDER:.*]] = llvm.mlir.constant(101 : i32)
// CHECK: %[[LHS:.*]] = llvm.mlir.constant(112 : i32)
// CHECK: %[[RHS:.*]] = llvm.mlir.constant(111 : i32)
// CHECK: llvm.call @scipy_cblas_sgemm(%[[ORDER]], %[[LHS]], %[[RHS]], {{.*}}, %[[LDA]], {{.*}}, %[[LDB]], {{.*}}, %[[LDC]])
// CHECK-NEXT: return %arg0
func.func private @shlo.gemm.0(%out: memref<1x2x5xf32>, %a: memref<1x3x2xf32>, %b: memref<1x3x5xf32>)
    -> memref<1x2x5xf32>
    attributes {shlo.kernel = {kind = "gemm", transpose_lhs = true, transpose_rhs = false}} {
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>,
      affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<1x3x2xf32>, memref<1x3x5xf32>) outs(%out : memref<1x2x5xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return %out : memref<1x2x5xf32>
}

// A batch is a loop.
// CHECK-LABEL: func.func private @shlo.gemm.1(
// CHECK: scf.for
// CHECK: llvm.call @scipy_cblas_dgemm(
// CHECK-NOT: llvm.call
// CHECK: return %arg0
func.func private @shlo.gemm.1(%out: memref<7x2x2xf64>, %a: memref<7x2x2xf64>, %b: memref<7x2x2xf64>)
    -> memref<7x2x2xf64>
    attributes {shlo.kernel = {kind = "gemm", transpose_lhs = false, transpose_rhs = false}} {
  return %out : memref<7x2x2xf64>
}

// Sizes that run time tells are the buffers'; BLAS takes what 32 bits hold, and no leading
// dimension of 0.
// CHECK-LABEL: func.func private @shlo.gemm.2(
// CHECK: memref.dim %arg0
// CHECK: %[[INNER:.*]] = arith.index_cast %{{.*}}
// CHECK: cf.assert %{{.*}}, "a matrix has more than 2147483647 rows or columns"
// CHECK: %[[LDA:.*]] = llvm.intr.smax
// CHECK: llvm.trunc %[[LDA]] : i64 to i32
// CHECK: scf.for
// A block is multiplied at a time; what earlier blocks of terms gave is kept.
// CHECK: scf.for %{{.*}} step
// CHECK: scf.for %{{.*}} step
// CHECK: scf.for %[[TERM:.*]] = %{{.*}} step
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[TERM]]
// CHECK: %[[KEPT:.*]] = llvm.select %[[FIRST]]
// CHECK: llvm.call @scipy_cblas_sgemm({{.*}}, %[[KEPT]], %{{.*}}, %{{.*}})
// CHECK: return %arg0
func.func private @shlo.gemm.2(%out: memref<?x?x?xf32>, %a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>)
    -> memref<?x?x?xf32>
    attributes {shlo.kernel = {kind = "gemm", transpose_lhs = false, transpose_rhs = false}} {
  return %out : memref<?x?x?xf32>
}

// Integers are multiplied by loops: rows of rhs are added to rows of the result, block by block.
// CHECK-LABEL: func.func private @shlo.gemm.3(
// CHECK: linalg.generic {{.*}} outs(%arg0
// CHECK-COUNT-5: scf.for
// CHECK: %[[FACTOR:.*]] = memref.load %arg1[%[[B:.*]], %[[M:.*]], %[[K:.*]]]
// CHECK: scf.for %[[N:.*]] = {{.*}} {
// CHECK-DAG: %[[ROW:.*]] = memref.load %arg2[%[[B]], %[[K]], %[[N]]]
// CHECK-DAG: %[[SUM:.*]] = memref.load %arg0[%[[B]], %[[M]], %[[N]]]
// CHECK: arith.muli %[[FACTOR]], %[[ROW]]
// CHECK: memref.store %{{.*}}, %arg0[%[[B]], %[[M]], %[[N]]]
// CHECK-NOT: linalg.generic
// CHECK: return %arg0
#left = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#right = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#made = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func private @shlo.gemm.3(%out: memref<1x700x600xi32>, %a: memref<1x700x500xi32>,
    %b: memref<1x500x600xi32>) -> memref<1x700x600xi32>
    attributes {shlo.kernel = {kind = "gemm", transpose_lhs = false, transpose_rhs = false}} {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%out : memref<1x700x600xi32>)
  linalg.generic {
    indexing_maps = [#left, #right, #made],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<1x700x500xi32>, memref<1x500x600xi32>) outs(%out : memref<1x700x600xi32>) {
  ^bb0(%l: i32, %r: i32, %o: i32):
    %0 = arith.muli %l, %r : i32
    %1 = arith.addi %o, %0 : i32
    linalg.yield %1 : i32
  }
  return %out : memref<1x700x600xi32>
}
