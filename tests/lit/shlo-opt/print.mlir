// RUN: %shlo-opt %s | FileCheck %s
// RUN: %shlo-opt < %s | FileCheck %s
// RUN: %shlo-opt - -o %t < %s && FileCheck %s < %t
// RUN: %shlo-opt -o=%t %s && FileCheck %s < %t
// RUN: %shlo-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: %shlo-opt %s --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: %shlo-opt %s --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=LOCAL
// RUN: %shlo-opt %s --mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED
// RUN: %shlo-opt %s --mlir-elide-elementsattrs-if-larger 3 | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK-NEXT: stablehlo.add %arg0, %
// CHECK-NOT: loc(

// GENERIC: "builtin.module"() ({
// GENERIC: "stablehlo.add"(%arg0, %

// LOC: stablehlo.add {{.*}} loc(#[[LOC:.*]])
// LOC: #[[LOC]] = loc("model.py":7:9)

// LOCAL: stablehlo.add {{.*}} loc("model.py":7:9)

// ELIDED: dense_resource<__elided__>
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = stablehlo.add %x, %c : tensor<3xf32> loc("model.py":7:9)
  return %y : tensor<3xf32>
}
