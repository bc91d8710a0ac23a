// A program is written as an executable, which runs without the program.

// RUN: rm -f %t.shlox %t.both.shlox
// RUN: %shlo-run %s --save-executable=%t.shlox > %t.out && cmp %t.out /dev/null
// RUN: %shlo-run %t.shlox | FileCheck %s --check-prefix=SIGNATURE
// RUN: %shlo-run %t.shlox --input=3 | FileCheck %s
// RUN: %shlo-run %t.shlox --input=3 --expected-output=6 --repeat=2 | FileCheck %s --check-prefix=TIMES
// RUN: %shlo-run %s --input=3 --save-executable=%t.both.shlox | FileCheck %s
// RUN: cmp %t.shlox %t.both.shlox
// RUN: not %shlo-run %t.shlox --input=3 --compare=reference 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not %shlo-run - --input=3 < %t.shlox 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: not %shlo-run %s --input=3 --check-nans --save-executable=%t.x 2>&1 | FileCheck %s --check-prefix=NANS
// RUN: not %shlo-run %s --save-executable=%t.none/x 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: head -c 200 %t.shlox > %t.half && not %shlo-run %t.half 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: chmod o+w %t.shlox && not %shlo-run %t.shlox --input=3 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: %shlo-run %t.shlox --input=3 --trusted | FileCheck %s

// SIGNATURE: @main: 1 argument, 1 result
// SIGNATURE: arg0: tensor<3xf32>
// CHECK: result0: tensor<3xf32>
// CHECK-NEXT: [6. 6. 6.]
// TIMES: loaded in {{.*}}, first run {{.*}}; 2 more
// PROGRAM: error: --compare needs a program, and {{.*}} is an executable
// STDIN: error: an executable is loaded from a file, not from standard input
// NANS: error: --save-executable is for native code without probes and checks
// FOLDER: error: cannot write {{.*}}: No such file or directory
// HALF: error: {{.*}} is damaged
// OTHERS: error: {{.*}} can be written by others

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
