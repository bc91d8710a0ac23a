// C++ and Python passes at any nesting: each function goes through all of its passes in turn.
// RUN: %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --mlir-print-ir-before-all \
// RUN:   --pass-pipeline="builtin.module(cse,func.func(canonicalize,test-remark,cse),inline)" \
// RUN:   2>&1 | FileCheck %s
// RUN: %shlo-opt %s --pass-pipeline "builtin.module(func.func(cse))" | FileCheck %s --check-prefix=CSE

// CHECK: IR Dump Before Cse (cse)
// CHECK-NEXT: module {
// CHECK: IR Dump Before Canonicalize (canonicalize)
// CHECK-NEXT: func.func @first
// CHECK: IR Dump Before Remark (test-remark)
// CHECK: remark: function "first"
// CHECK: IR Dump Before Cse (cse)
// CHECK-NEXT: func.func @first
// CHECK: IR Dump Before Canonicalize (canonicalize)
// CHECK-NEXT: func.func @second
// CHECK: IR Dump Before Remark (test-remark)
// CHECK: remark: function "second"
// CHECK: IR Dump Before Cse (cse)
// CHECK-NEXT: func.func @second
// CHECK: IR Dump Before Inline (inline)
// CHECK-NEXT: module {

// CSE: @first
// CSE-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %arg0
// CSE-NEXT: stablehlo.multiply %[[SUM]], %[[SUM]]
func.func @first(%x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.add %x, %x : tensor<f32>
  %b = stablehlo.add %x, %x : tensor<f32>
  %c = stablehlo.multiply %a, %b : tensor<f32>
  return %c : tensor<f32>
}
func.func @second(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
