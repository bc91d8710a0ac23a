// RUN: %shlo-opt %s --emit-bytecode -o %t.mlirbc && %shlo-opt %t.mlirbc | FileCheck %s
// RUN: %shlo-opt %s --emit-bytecode | %shlo-opt --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// The magic number, in octal; and one file for input and output.
// RUN: od -c -N 4 %t.mlirbc | FileCheck %s --check-prefix=MAGIC
// RUN: %shlo-opt %t.mlirbc -o %t.mlirbc && FileCheck %s < %t.mlirbc
// RUN: %shlo-opt %s --emit-bytecode --emit-bytecode-version=3 -o %t.3 && od -c -N 5 %t.3 \
// RUN:   | FileCheck %s --check-prefix=VERSION
// RUN: %shlo-opt %t.3 | FileCheck %s
// RUN: not %shlo-opt %s --emit-bytecode --emit-bytecode-version=99 2>&1 >%t.99 \
// RUN:   | FileCheck %s --check-prefix=NONE

// The version is written as twice its number and one.
// VERSION: M L 357 R \a
// NONE: error: unsupported version requested 99, must be in range [0, {{[0-9]+}}]
// NONE-NOT: Traceback

// MAGIC: M L 357 R

// CHECK: func.func @main
// CHECK: stablehlo.negate
// GENERIC: "stablehlo.negate"
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}
