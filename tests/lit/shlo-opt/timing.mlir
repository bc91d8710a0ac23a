// RUN: %shlo-opt %s --mlir-timing --cse --canonicalize 2>&1 >%t | FileCheck %s
// RUN: %shlo-opt %s --mlir-timing --mlir-timing-display=list --load-pass-plugin=%S/Inputs/plugin.py \
// RUN:   --cse --test-sleep=seconds=0.1 2>&1 >%t | FileCheck %s --check-prefix=LIST
// LIST: ----Wall Time---- ----Name----
// LIST: test-sleep
// LIST: cse
// LIST: Total

// CHECK: ... Execution time report ...
// CHECK: Total Execution Time: {{[0-9.]+}} seconds
// CHECK: ----Wall Time---- ----Name----
// CHECK-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) Parser
// CHECK-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) cse
// CHECK-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) canonicalize
// CHECK-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) Output
// CHECK-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) Rest
// CHECK-NEXT: {{[0-9.]+}} (100.0%) Total
func.func @main() {
  return
}
