// The packaged program runs from any folder, and agrees with what JAX computed.

// RUN: mkdir -p %t && cd %t && %shlo-run --demo | FileCheck %s

// CHECK: JAX
// CHECK: program: {{.*}}mlp_step.mlir
// CHECK: result4: tensor<f32>
// CHECK: result0 agrees
// CHECK-NEXT: result1 agrees
// CHECK-NEXT: result2 agrees
// CHECK-NEXT: result3 agrees
// CHECK-NEXT: result4 agrees
// CHECK-NEXT: compiled in {{.*}}100 more: median
