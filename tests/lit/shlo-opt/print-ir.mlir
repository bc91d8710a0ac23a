// RUN: %shlo-opt %s --mlir-print-ir-before=cse --mlir-print-ir-after=canonicalize,cse \
// RUN:   --canonicalize --cse 2>&1 >%t | FileCheck %s
// RUN: %shlo-opt %s --mlir-print-ir-after-change --cse --canonicalize --cse 2>&1 >%t \
// RUN:   | FileCheck %s --check-prefix=CHANGE
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --mlir-print-ir-after-failure \
// RUN:   --cse --test-fail 2>&1 | FileCheck %s --check-prefix=FAILURE
// RUN: %shlo-opt %s --mlir-print-ir-module-scope --mlir-print-ir-after-all \
// RUN:   --mlir-print-op-generic --pass-pipeline="builtin.module(func.func(cse))" 2>&1 >%t \
// RUN:   | FileCheck %s --check-prefix=SCOPE
// RUN: not %shlo-opt %s --mlir-print-ir-after=csi --cse 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK: // -----// IR Dump After Canonicalize (canonicalize) //----- //
// CHECK: // -----// IR Dump Before Cse (cse) //----- //
// CHECK: stablehlo.add
// CHECK: stablehlo.add
// CHECK: // -----// IR Dump After Cse (cse) //----- //
// CHECK: stablehlo.add
// CHECK-NOT: stablehlo.add

// CHANGE: IR Dump After Cse
// CHANGE-NOT: IR Dump

// FAILURE-NOT: (cse)
// FAILURE: IR Dump After Fail Failed (test-fail)
// FAILURE-NEXT: module
// FAILURE: error: this pass always fails

// SCOPE: IR Dump After Cse (cse) ('func.func' operation: @main)
// SCOPE-NEXT: "builtin.module"

// NAME: error: there is no pass 'csi'
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.add %x, %x : tensor<f32>
  %b = stablehlo.add %x, %x : tensor<f32>
  %c = stablehlo.multiply %a, %b : tensor<f32>
  return %c : tensor<f32>
}
