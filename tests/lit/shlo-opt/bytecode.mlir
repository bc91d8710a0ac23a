// RUN: %shlo-opt %s --emit-bytecode -o %t.mlirbc && %shlo-opt %t.mlirbc | FileCheck %s
// RUN: %shlo-opt %s --emit-bytecode | %shlo-opt --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// The magic number, in octal; and one file for input and output.
// RUN: od -c -N 4 %t.mlirbc | FileCheck %s --check-prefix=MAGIC
// RUN: %shlo-opt %t.mlirbc -o %t.mlirbc && FileCheck %s < %t.mlirbc

// MAGIC: M L 357 R

// CHECK: func.func @main
// CHECK: stablehlo.negate
// GENERIC: "stablehlo.negate"
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}
