// mlir-opt's own reproducers run here.
// RUN: %shlo-opt %s --run-reproducer | FileCheck %s
// RUN: %shlo-opt %s --run-reproducer --canonicalize --dump-pass-pipeline 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MORE
// RUN: %shlo-opt %s 2>&1 | FileCheck %s --check-prefix=PLAIN

// CHECK: stablehlo.add
// CHECK-NOT: stablehlo.add

// MORE: builtin.module(func.func(cse),canonicalize)

// PLAIN-NOT: warning
// PLAIN: stablehlo.add
// PLAIN: stablehlo.add
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = stablehlo.add %x, %x : tensor<f32>
  %b = stablehlo.add %x, %x : tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse))",
      disable_threading: false,
      verify_each: false
    }
  }
#-}
