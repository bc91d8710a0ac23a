// RUN: %shlo-opt %s --to=linalg | FileCheck %s --check-prefix=LINALG
// RUN: %shlo-opt %s -to llvm | FileCheck %s --check-prefix=LLVM
// RUN: %shlo-opt %s --to=linalg | %shlo-opt --to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: not %shlo-opt %s --to=spirv 2>&1 | FileCheck %s --check-prefix=OTHER

// LINALG-LABEL: @main
// LINALG: linalg.
// LINALG: arith.addf
// LINALG-NOT: stablehlo.

// LLVM: llvm.func
// LLVM: llvm.fadd
// LLVM-NOT: linalg.

// OTHER: error: Invalid value for '--to': 'spirv'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
