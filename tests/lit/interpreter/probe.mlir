// A probe returns its operand, and writes it where a folder is given: a file and a row of index.csv
// for each time that it runs.
// RUN: rm -rf %t
// RUN: %shlo-run %s | FileCheck %s
// RUN: %shlo-run %s --probe-output-dir=%t/native | FileCheck %s
// RUN: %shlo-run %s --probe-output-dir=%t/reference --backend=reference | FileCheck %s
// CHECK: result0: tensor<2xf32>
// CHECK-NEXT: [4. 8.]

// RUN: FileCheck %s --check-prefix=INDEX --input-file %t/native/index.csv
// RUN: FileCheck %s --check-prefix=INDEX --input-file %t/reference/index.csv
// INDEX: {{^}}"rounds, all",tensor<2xf32>,{{.*}}/probe1.npy
// INDEX-NEXT: {{^}}"rounds, all",tensor<2xf32>,{{.*}}/probe2.npy
// INDEX-NEXT: {{^}}half,tensor<bf16>,{{.*}}/probe3.npy
// INDEX-NOT: probe

// RUN: cmp %t/native/probe2.npy %t/reference/probe2.npy
// RUN: cmp %t/native/probe3.npy %t/reference/probe3.npy
// RUN: not %shlo-run %s --probe-output-dir=%s/inside 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: {{.*}}cannot write probe 'rounds, all' to {{.*}}/inside/probe1.npy: Not a directory
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<2xf32> cond {
    %1 = stablehlo.compare LT, %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i64>
    %2 = stablehlo.add %y, %y : tensor<2xf32>
    %3 = interpreter.probe %2, probe_id = "rounds, all" : tensor<2xf32>
    stablehlo.return %1, %3 : tensor<i64>, tensor<2xf32>
  }
  %h = stablehlo.constant dense<0.5> : tensor<bf16>
  %4 = "interpreter.probe"(%h) {probe_id = "half"} : (tensor<bf16>) -> tensor<bf16>
  return %0#1 : tensor<2xf32>
}
