// What is no artifact, or a part of one, is an error with a word about it.
// RUN: stablehlo-translate --serialize --target=1.9.0 %s > %t.bc
// RUN: head -c 100 %t.bc | not stablehlo-translate --deserialize 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: <stdin>: broken portable artifact of StableHLO 1.9.0: {{.+}}

// RUN: head -c 12 %t.bc | not stablehlo-translate --deserialize 2>&1 | FileCheck %s --check-prefix=HEAD
// HEAD: error: <stdin>: broken bytecode: {{.+}}

// RUN: not stablehlo-translate --deserialize < /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: <stdin>: the input is empty

// RUN: not stablehlo-translate --deserialize %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}missing': No such file or directory

// RUN: not stablehlo-translate %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: nothing to do, or too much: --serialize, --deserialize

// What is there already survives.
// RUN: echo kept > %t.out
// RUN: not stablehlo-translate --serialize --target=0.1.0 %s -o %t.out
// RUN: FileCheck %s --check-prefix=KEPT --input-file %t.out
// KEPT: kept
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
