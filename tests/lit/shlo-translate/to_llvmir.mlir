// A module in the llvm dialect becomes LLVM IR.
// RUN: %shlo-opt --to=llvm %s | %shlo-translate --mlir-to-llvmir | FileCheck %s
// CHECK: source_filename = "LLVMDialectModule"
// CHECK: define void @shlo.entry.main(ptr %0, ptr %1)

// RUN: not %shlo-translate --mlir-to-llvmir %s 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: to_llvmir.mlir:[[# @LINE + 7]]:1: error: func.func is no op of the llvm dialect
// HIGH: hint: lower it first: shlo-opt --shlo-to-llvm, or shlo-opt --to=llvm

// RUN: echo 'llvm.func @f(%%a: i32) { %%0 = arith.addi %%a, %%a : i32 llvm.return }' > %t.mlir
// RUN: not %shlo-translate --mlir-to-llvmir %t.mlir 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: :1:{{[0-9]+}}: error: cannot be converted to LLVM IR: {{.*}}arith.addi

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
