// Resources, regions and verification can be left out.
// RUN: %shlo-opt %s --mlir-elide-resource-strings-if-larger=20 | FileCheck %s --check-prefix=NONE
// NONE: dense_resource<blob>
// NONE-NOT: blob:

// Their limit is not that of elements.
// RUN: %shlo-opt %s --mlir-elide-resource-strings-if-larger=50 | FileCheck %s --check-prefix=ALL
// RUN: %shlo-opt %s --mlir-elide-elementsattrs-if-larger=1 | FileCheck %s --check-prefix=ALL
// ALL: blob: "0x04000000{{[0-9]+}}"

// RUN: %shlo-opt %s --mlir-print-skip-regions | FileCheck %s --check-prefix=SKIP
// SKIP: module {...}
// SKIP-NOT: main

// RUN: %shlo-opt %s --mlir-print-assume-verified | FileCheck %s --check-prefix=VALID
// VALID: stablehlo.constant dense_resource<blob>

// RUN: %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-break --verify-each=false \
// RUN:   --mlir-print-assume-verified | FileCheck %s --check-prefix=CUSTOM
// CUSTOM: func.func @main
// RUN: %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-break --verify-each=false \
// RUN:   | FileCheck %s --check-prefix=GENERIC
// GENERIC: "func.func"()
func.func @main() -> tensor<4xi32> {
  %c = stablehlo.constant dense_resource<blob> : tensor<4xi32>
  return %c : tensor<4xi32>
}
{-# dialect_resources: { builtin: { blob: "0x0400000000000000010000000200000003000000" } } #-}
