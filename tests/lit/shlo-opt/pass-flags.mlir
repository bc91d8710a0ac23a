// Flags run in the order given, each under the op it wants; repetitions count.
// RUN: %shlo-opt %s --dump-pass-pipeline --canonicalize -cse --canonicalize="max-iterations=3" \
// RUN:   2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: %shlo-opt %s --dump-pass-pipeline -chlo-legalize-to-stablehlo \
// RUN:   --linalg-generalize-named-ops --cse 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: %shlo-opt %s --dump-pass-pipeline --to=linalg --cse 2>&1 | FileCheck %s --check-prefix=TO
// RUN: %shlo-opt %s --cse | FileCheck %s
// RUN: not %shlo-opt %s --cse --pass-pipeline="builtin.module(cse)" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: not %shlo-opt %s --canonicalise 2>&1 | FileCheck %s --check-prefix=NOPASS
// RUN: not %shlo-opt %s --splt-input-file 2>&1 | FileCheck %s --check-prefix=NOOPTION

// ORDER: Pass Manager with 3 passes:
// ORDER-NEXT: builtin.module(canonicalize,cse,canonicalize{max-iterations=3})

// NEST: builtin.module(func.func(chlo-legalize-to-stablehlo),linalg-generalize-named-ops,cse)

// TO: builtin.module(cse,{{.*}}shlo-legalize-to-linalg{{.*}})

// BOTH: error: --pass-pipeline can't be used with individual pass options

// NOPASS: error: there is no option or pass '--canonicalise'
// NOOPTION: error: there is no option or pass '--splt-input-file'
// NOOPTION-NEXT: hint: did you mean '--split-input-file'?

// CHECK-LABEL: @main
// CHECK: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: stablehlo.multiply
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.add %x, %x : tensor<f32>
  %b = stablehlo.add %x, %x : tensor<f32>
  %c = stablehlo.multiply %a, %b : tensor<f32>
  return %c : tensor<f32>
}
