// Dialects that are described in a file.
// RUN: %shlo-opt %s --irdl-file=%S/Inputs/cmath.irdl.mlir --verify-roundtrip | FileCheck %s
// CHECK: "cmath.norm"(%arg0) : (f32) -> f32
// RUN: not %shlo-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: operation being parsed with an unregistered dialect

// RUN: sed 's/(%%x) : (f32)/(%%x, %%x) : (f32, f32)/' %s > %t.mlir
// RUN: not %shlo-opt %t.mlir --irdl-file=%S/Inputs/cmath.irdl.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: :[[#]]:{{[0-9]+}}: error: op expects exactly 1 operands, but got 2

// RUN: not %shlo-opt %s --irdl-file=%s.none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: cannot read '{{.*}}irdl-file.mlir.none': No such file or directory

// RUN: echo 'module {}' > %t.mlir && not %shlo-opt %s --irdl-file=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: {{.*}}: no dialect is described there: irdl.dialect is missing

// What there is already is not defined anew: MLIR would abort.
// RUN: echo 'irdl.dialect @stablehlo {}' > %t.mlir && not %shlo-opt %s --irdl-file=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: error: {{.*}}: there is a dialect 'stablehlo' already
// RUN: echo 'irdl.dialect @check {}' > %t.mlir && not %shlo-opt %s --irdl-file=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN
// OWN: error: {{.*}}: there is a dialect 'check' already
func.func @f(%x: f32) -> f32 {
  %0 = "cmath.norm"(%x) : (f32) -> f32
  return %0 : f32
}
