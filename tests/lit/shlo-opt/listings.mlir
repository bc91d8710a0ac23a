// Questions that need no program.
// RUN: %shlo-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: %shlo-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: %shlo-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: %shlo-opt --explain stablehlo.gather | FileCheck %s --check-prefix=EXPLAIN
// RUN: not %shlo-opt --explain=stablehlo.gahter 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: %shlo-opt -help | FileCheck %s --check-prefix=HELP

// VERSION: shlo-opt (shlo-tools) {{[0-9]+\.[0-9]+}}
// VERSION-NEXT: torch-mlir {{[0-9]+}}
// VERSION-NEXT: MLIR {{[0-9]+\.[0-9]+}}
// VERSION-NEXT: StableHLO {{[0-9]+\.[0-9]+\.[0-9]+}}

// PASSES: --shlo-legalize-to-linalg Lower StableHLO to linalg
// PASSES: --shlo-to-llvm pipeline: StableHLO or linalg to the llvm dialect
// PASSES: --stablehlo-refine-shapes

// DIALECTS: Available Dialects: {{.*}}builtin,{{.*}}chlo,{{.*}}linalg,{{.*}}stablehlo,{{.*}}vhlo

// EXPLAIN: stablehlo.gather
// EXPLAIN: start_indices
// EXPLAIN: slice_sizes Sequence[int] attribute

// TYPO: error: there is no op 'stablehlo.gahter'
// TYPO-NEXT: hint: did you mean 'stablehlo.gather'?

// HELP: Usage: shlo-opt [OPTIONS] [INPUT]
// HELP: --split-input-file[=MARKER]
// HELP: shlo-opt model.mlir --to=linalg -o out.mlir
