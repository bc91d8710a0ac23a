// C++ passes share a run; the one that crashes is found by running them singly.
// (The C++ legalization crashes on bitcast_convert between complex types.)
// RUN: not %shlo-opt %s --cse --stablehlo-legalize-to-linalg --canonicalize \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir

// CHECK: error: crashed with {{SIG[A-Z]+}} in pass 'stablehlo-legalize-to-linalg'

// FILE: stablehlo.bitcast_convert
// FILE: pipeline: "builtin.module(cse,stablehlo-legalize-to-linalg,canonicalize)"
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
