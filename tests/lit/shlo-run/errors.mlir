// What does not fit is refused with the place where it was written.

// RUN: not %shlo-run %s --input="2x3xf32=[[1,2,3],[4,5,x]]" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: --input:1:23: error: 'x' is not a number
// WORD-NEXT: 2x3xf32={{.*}}1,2,3],[4,5,x]]
// WORD-NEXT: ^

// RUN: not %shlo-run %s --input="3x2xf32=1" 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: --input=3x2xf32=1: argument 0 is a tensor<2x3xf32>; shape (3, 2) given

// RUN: not %shlo-run %s --input="2x3xf64=1" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: --input=2x3xf64=1: argument 0 is a tensor<2x3xf32>; float64 given
// TYPE-NEXT: hint: convert it with --cast
// RUN: %shlo-run %s --input="2x3xf64=1" --cast | FileCheck %s --check-prefix=CAST
// CAST: -1. -1. -1.]

// RUN: not %shlo-run %s --input=1 --input=2 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 2 arguments given, 1 wanted

// RUN: not %shlo-run %s --input=1 --output=%t/none/out.npz 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: error: cannot write '{{.*}}out.npz': No such file or directory

// RUN: cp %s %t.kept.mlir
// RUN: not %shlo-run %t.kept.mlir --input=1 --save-executable=%t.kept.mlir 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error: --save-executable={{.*}}.kept.mlir would be written over the input
// RUN: not %shlo-run %t.kept.mlir --input=1 --trace=%t.kept.mlir 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: error: --trace={{.*}}.kept.mlir would be written over the input
// RUN: diff %s %t.kept.mlir
// RUN: not %shlo-run %s --input=1 --output=%t.npz --save-executable=%t.npz 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --output and --save-executable would both be {{.*}}.npz

// RUN: not %shlo-run %s --input=1 --trace=- 2>&1 | FileCheck %s --check-prefix=STDOUT
// RUN: not %shlo-run %s --input=1 --save-executable=- 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT-NOT: {"traceEvents"
// STDOUT: error: files of shlo-run have names: standard output is for results

// RUN: not %shlo-run %s --inptu=1 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: No such option '--inptu'

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.negate %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
