// How upstream's own files call the tool: each of these lines is such a form.
// RUN: stablehlo-opt %s | FileCheck %s
// RUN: stablehlo-opt %s | stablehlo-opt | FileCheck %s
// RUN: stablehlo-opt -emit-bytecode %s | stablehlo-opt | FileCheck %s
// RUN: stablehlo-opt --mlir-print-op-generic %s | stablehlo-opt | FileCheck %s
// RUN: stablehlo-opt %s -verify-diagnostics -split-input-file | FileCheck %s
// RUN: stablehlo-opt --strip-debuginfo -mlir-print-debuginfo %s | FileCheck %s --check-prefix=STRIPPED
// RUN: stablehlo-opt -mlir-print-debuginfo -mlir-print-local-scope %s | FileCheck %s --check-prefix=LOCAL
// RUN: stablehlo-opt --verify-each -inline --canonicalize --cse %s | FileCheck %s --check-prefix=INLINED
// RUN: stablehlo-opt --chlo-legalize-to-stablehlo %s | FileCheck %s --check-prefix=LEGAL
// RUN: stablehlo-opt --pass-pipeline='builtin.module(func.func(canonicalize{test-convergence}))' %s | FileCheck %s
// RUN: not stablehlo-opt %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not stablehlo-opt --chlo-pre-serialization-pipeline --stablehlo-legalize-to-vhlo --vhlo-to-version='target=0.1.0' %s 2>&1 | FileCheck %s --check-prefix=OLD

// What is split stays split.
// RUN: stablehlo-opt %s --chlo-legalize-to-stablehlo --split-input-file > %t.mlir
// RUN: stablehlo-opt %t.mlir --split-input-file | FileCheck %s --check-prefix=SPLIT

// MISSING: cannot open input file '{{.*}}idioms.mlir.missing': No such file or directory
// OLD: error: target version 0.1.0 is less than minimum supported 0.9.0

// CHECK-LABEL: func.func @erf
// CHECK: chlo.erf
// CHECK: return
// LEGAL-NOT: chlo.erf
// STRIPPED: #[[UNKNOWN:.+]] = loc(unknown)
// STRIPPED: chlo.erf {{.*}} loc(#[[UNKNOWN]])
// LOCAL: chlo.erf {{.*}} loc("named")
// SPLIT: func.func @erf
// SPLIT-NOT: chlo.erf
// SPLIT: {{//}} -----
func.func @erf(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32> loc("named")
  return %0 : tensor<2xf32>
}

// -----

// INLINED-LABEL: func.func @caller
// INLINED: chlo.erf
// SPLIT: func.func @caller
func.func @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
