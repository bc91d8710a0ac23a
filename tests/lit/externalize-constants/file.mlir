// RUN: rm -rf %t && mkdir -p %t/out
// RUN: %shlo-opt %s --externalize-constants=%t/out/w.safetensors,8 -o %t/out/model.mlir
// RUN: FileCheck %s < %t/out/model.mlir
// CHECK: module attributes {shlo.weights = "w.safetensors"}
// CHECK: stablehlo.constant {shlo.weight = "constant_0"} dense_resource<constant_0> : tensor<3xi32>
// CHECK: stablehlo.constant dense<7> : tensor<3xi32>
// CHECK: stablehlo.constant dense<5> : tensor<i32>

// The program is run with its file, wherever it is run from.
// RUN: %shlo-run %t/out/model.mlir | FileCheck %s --check-prefix=VALUES
// RUN: %shlo-opt %t/out/model.mlir | %shlo-run - | FileCheck %s --check-prefix=VALUES
// RUN: %shlo-opt %t/out/model.mlir --to=linalg | %shlo-run - | FileCheck %s --check-prefix=VALUES
// RUN: %shlo-run %t/out/model.mlir --backend=reference | FileCheck %s --check-prefix=VALUES
// RUN: %shlo-run %t/out/model.mlir --compare=reference | FileCheck %s --check-prefix=AGREE
// RUN: %shlo-opt %t/out/model.mlir --emit-bytecode -o %t/out/model.mlirbc
// RUN: %shlo-run %t/out/model.mlirbc | FileCheck %s --check-prefix=VALUES
// RUN: %shlo-opt %t/out/model.mlir --verify-roundtrip --cse --canonicalize -o %t/model.mlir
// RUN: %shlo-run %t/model.mlir | FileCheck %s --check-prefix=VALUES
// RUN: FileCheck %s --check-prefix=ELSEWHERE < %t/model.mlir
// RUN: %shlo-opt %t/out/model.mlir --shlo-internalize-constants | FileCheck %s --check-prefix=BACK
// RUN: %shlo-opt %s \
// RUN:   --pass-pipeline="builtin.module(shlo-externalize-constants{file=%t/p min-bytes=13})" \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: not %shlo-opt %s --shlo-externalize-constants 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not %shlo-opt %s --externalize-constants=a,b 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %shlo-opt %S/Inputs/two.mlir --split-input-file --externalize-constants=%t/two 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: rm %t/out/w.safetensors
// RUN: not %shlo-run %t/out/model.mlir 2>&1 | FileCheck %s --check-prefix=GONE

// RUN: %shlo-opt %t/out/model.mlir -o %t/out/same.mlir
// RUN: FileCheck %s < %t/out/same.mlir

// RUN: not %shlo-opt %t/out/model.mlir --shlo-internalize-constants 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GONE

// ELSEWHERE: shlo.weights = "out/w.safetensors"
// VALUES: 8 18 30
// AGREE: agrees
// BACK-NOT: shlo.weight
// BACK: dense<[1, 2, 3]>
// SMALL-NOT: shlo.weight
// NOWHERE: error: shlo-externalize-constants: the option file is missing
// TWO: error: constants of one program go to a file, the input has 2
// SIZE: is no FILE[,MIN-BYTES]
// GONE: error: cannot read '{{.*}}w.safetensors': No such file or directory
func.func @main() -> tensor<3xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.constant dense<7> : tensor<3xi32>
  %2 = stablehlo.constant dense<5> : tensor<i32>
  %3 = stablehlo.add %0, %1 : tensor<3xi32>
  %4 = stablehlo.multiply %3, %0 : tensor<3xi32>
  return %4 : tensor<3xi32>
}
