// A program of unknown sizes goes on from linalg: its checks are still declarations there.
// RUN: %shlo-opt %s --to=linalg -o %t.mlir
// RUN: %shlo-run %t.mlir --input=3x2xf32=1 --input=3x2xf32=2 | FileCheck %s
// RUN: not %shlo-run %t.mlir --input=3x2xf32=1 --input=4x2xf32=2 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: %shlo-opt %t.mlir --to=linalg | FileCheck %s --check-prefix=ONCE

// CHECK: {{\[\[}}3. 3.]
// SIZES: error: stablehlo.add: operands differ in type
// ONCE: func.func private @shlo.check
// ONCE-NOT: func.func private @shlo.check
func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
