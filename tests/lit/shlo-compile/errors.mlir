// One error each, and no file.

// RUN: rm -rf %t.out && mkdir -p %t.out
// RUN: not %shlo-compile 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not %shlo-compile %s 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not %shlo-compile %s -o %t.out/m.o 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not %shlo-compile %t.none.mlir -o %t.out/m.o 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %shlo-compile %s -o %t.none/m.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not %shlo-compile %s -o %t.out/3.o 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not %shlo-compile %s -o %t.out/m.o --function=man 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not %shlo-compile %s -o %t.out/m.o --target=sparc 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not %shlo-compile %s %s -o %t.out/m.o 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not %shlo-compile %s -o %t.out/m.o --emit-header %t.out/m.o 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: cp %s %t.kept.mlir && ln -sf %t.kept.mlir %t.link
// RUN: not %shlo-compile %t.kept.mlir -o %t.link 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: diff %s %t.kept.mlir
// RUN: not %shlo-compile --runtime %s -o %t.out/m.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not %shlo-compile --runtime --standalone %s -o %t.out/m.o 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUN: not sh -c 'echo "func.func @main( {" | %shlo-compile - -o %t.out/m.o' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: sh -c 'ls -A %t.out | wc -l' | FileCheck %s --check-prefix=NONE

// NOTHING: error: Missing argument 'INPUT...'
// OUTPUT: error: Missing option '--output' / '-o'
// OP: errors.mlir:{{[0-9]+:[0-9]+}}: error: not supported: stablehlo.fft {{.*}}: it is a function of numpy, which objects cannot have
// MISSING: error: cannot read '{{.*}}.none.mlir': No such file or directory
// FOLDER: error: cannot write '{{.*}}m.o': No such file or directory
// NAME: error: names in C cannot begin with '3'
// FUNCTION: error: there is no function @man
// TARGET: error: {{.*}}'sparc' is not one of 'avx512', 'avx2', 'baseline'
// TWO: error: one program at a time; --runtime takes several objects
// SAME: error: --output and --emit-header would both be {{.*}}m.o
// OVER: error: --output={{.*}}.link would be written over the input
// OBJECT: error: '{{.*}}errors.mlir' is no object of shlo-compile
// RUNTIME: error: --standalone is for programs, and --runtime takes objects
// SYNTAX: <stdin>:1:{{[0-9]+}}: error:
// NONE: {{^ *}}0

func.func @main(%x: tensor<11xcomplex<f32>>) -> tensor<11xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [11] : (tensor<11xcomplex<f32>>) -> tensor<11xcomplex<f32>>
  return %0 : tensor<11xcomplex<f32>>
}
