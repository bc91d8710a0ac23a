// The folders and names of mlir-opt: ops from the outermost on, numbers of what was printed of each.
// RUN: rm -rf %t %t.2 && %shlo-opt %s --mlir-print-ir-tree-dir=%t --mlir-print-ir-before-all \
// RUN:   --mlir-print-ir-after-all --canonicalize --symbol-dce --cse 2>&1 >%t.out | FileCheck %s --allow-empty
// CHECK-NOT: IR Dump

// RUN: cd %t && find . -type f | sort | FileCheck %s --check-prefix=FILES --match-full-lines
// FILES: ./builtin_module_no-symbol-name/0_canonicalize.mlir
// FILES-NEXT: ./builtin_module_no-symbol-name/1_canonicalize.mlir
// FILES-NEXT: ./builtin_module_no-symbol-name/2_symbol-dce.mlir
// FILES-NEXT: ./builtin_module_no-symbol-name/3_symbol-dce.mlir
// FILES-NEXT: ./builtin_module_no-symbol-name/4_cse.mlir
// FILES-NEXT: ./builtin_module_no-symbol-name/5_cse.mlir

// RUN: %shlo-opt %s --mlir-print-ir-tree-dir=%t.2 --mlir-print-ir-after-all \
// RUN:   --pass-pipeline='builtin.module(func.func(cse,canonicalize),symbol-dce,func.func(cse))'
// RUN: cd %t.2 && find . -type f | sort | FileCheck %s --check-prefix=NESTED --match-full-lines
// NESTED: ./builtin_module_no-symbol-name/1_symbol-dce.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_.._g/0_0_cse.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_.._g/0_1_canonicalize.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_.._g/1_2_cse.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_main/0_0_cse.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_main/0_1_canonicalize.mlir
// NESTED-NEXT: ./builtin_module_no-symbol-name/func_func_main/1_2_cse.mlir
// RUN: FileCheck %s --check-prefix=ONE < %t.2/builtin_module_no-symbol-name/func_func_main/0_0_cse.mlir
// ONE: // -----// IR Dump After Cse (cse) //----- //
// ONE-NEXT: func.func @main

// RUN: not %shlo-opt %s --mlir-print-ir-tree-dir=%s --mlir-print-ir-after-all --cse 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO
// NO: error: cannot write '{{.*}}print-ir-tree-dir.mlir/builtin_module_no-symbol-name': Not a directory
func.func @main() {
  return
}
func.func @"../g"() {
  return
}
