// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-break 2>&1 | FileCheck %s
// RUN: %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-break --verify-each=false \
// RUN:   2>&1 | FileCheck %s --check-prefix=OFF
// RUN: not %shlo-opt %s --verify-each=perhaps 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: error: block with no terminator

// OFF: "func.func"
// OFF-NOT: func.return

// VALUE: 'perhaps' is invalid value for boolean argument
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.add %x, %x : tensor<f32>
  return %a : tensor<f32>
}
