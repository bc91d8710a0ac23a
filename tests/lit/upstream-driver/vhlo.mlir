// Programs in VHLO are read, verified, moved between versions and printed.
// RUN: stablehlo-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: stablehlo-opt %s -split-input-file -verify-diagnostics | stablehlo-opt -split-input-file | FileCheck %s
// RUN: not stablehlo-opt %s --vhlo-to-version=target=1.3.0 -split-input-file > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OLD < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not stablehlo-opt %s --vhlo-legalize-to-stablehlo -split-input-file 2>/dev/null | FileCheck %s --check-prefix=BACK

// CHECK: vhlo.func_v1 @add(%arg0: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>)
// CHECK-NEXT: %[[SUM:.+]] = "vhlo.add_v1"(%arg0, %arg0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>, !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
// CHECK-NEXT: "vhlo.return_v1"(%[[SUM]]) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
// OLD: vhlo.add_v1
// BACK: func.func @add
// BACK-NEXT: stablehlo.add
vhlo.func_v1 @add(%arg0: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>) {
  %0 = "vhlo.add_v1"(%arg0, %arg0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>, !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// -----

// A part that fails leaves nothing between its markers.
// ERR: vhlo.mlir:[[# @LINE + 8]]:8: error: failed to legalize operation 'vhlo.tan_v1' that was explicitly marked illegal
// ERR: error: failed to convert VHLO to v1.3.0
// CHECK: vhlo.tan_v1
// OLD: {{//}} -----
// OLD-NEXT: {{//}} -----
// BACK: {{//}} -----
// BACK-NEXT: {{//}} -----
vhlo.func_v1 @tan(%arg0: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>) {
  %0 = "vhlo.tan_v1"(%arg0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>
  "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}

// -----

// CHECK: vhlo.func_v1 @last
// OLD: vhlo.func_v1 @last
// BACK: func.func @last
vhlo.func_v1 @last() -> () {
  "vhlo.return_v1"() : () -> ()
} {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">}
