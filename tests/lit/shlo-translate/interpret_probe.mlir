// Probes write to a folder, where an index of an earlier run goes first.
// RUN: rm -rf %t && mkdir %t
// RUN: echo old > %t/index.csv
// RUN: stablehlo-translate --interpret --probe-output-dir=%t %s
// RUN: FileCheck %s --input-file %t/index.csv
// CHECK-NOT: old
// CHECK: {{^}}first,tensor<2xf32>,{{.*}}probe1.npy
// CHECK-NEXT: {{^}}second,tensor<2xf32>,{{.*}}probe2.npy
// CHECK-NOT: probe3

// RUN: rm -rf %t.d && mkdir %t.d && echo old > %t.d/file
// RUN: dirname %t.d/file | xargs -I{DIR} stablehlo-translate --interpret --probe-output-dir={DIR} %s
// RUN: FileCheck %s --input-file %t.d/index.csv

// RUN: not stablehlo-translate --interpret %s 2>&1 | FileCheck %s --check-prefix=NO-FOLDER
// NO-FOLDER: interpret_probe.mlir:[[# @LINE + 4]]:8: error: interpreter.probe: no folder for what it writes
// NO-FOLDER: hint: add --probe-output-dir=DIR
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = interpreter.probe %0, probe_id = "first" : tensor<2xf32>
  %2 = stablehlo.add %1, %1 : tensor<2xf32>
  %3 = interpreter.probe %2, probe_id = "second" : tensor<2xf32>
  return
}
