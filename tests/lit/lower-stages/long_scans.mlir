// RUN: %shlo-opt %s --shlo-partition --shlo-lower-stages | FileCheck %s

// A part's state is read once: another thread may scan the part between two looks at it, and
// integers that were scanned have no total.
// CHECK-LABEL: llvm.func internal @stage.0
// CHECK: %[[STATE:.+]] = llvm.load {{.+}} atomic seq_cst
// CHECK-NEXT: llvm.br ^[[HEAD:bb[0-9]+]](%arg1, %[[STATE]] : i64, i64)
// CHECK-NEXT: ^[[HEAD]](%{{.+}}: i64, %[[KNOWN:.+]]: i64):
// CHECK-NOT: atomic
// CHECK: %[[OPEN:.+]] = llvm.icmp "ne" %[[KNOWN]]
// CHECK-NOT: atomic
// CHECK: %[[NEW:.+]] = llvm.icmp "eq" %[[KNOWN]]
// CHECK-NEXT: llvm.cond_br %[[NEW]]
func.func public @main(%x: tensor<300007xi32>) -> tensor<300007xi32> {
  %init = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 300007>,
      padding = dense<[[300006, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
  }) : (tensor<300007xi32>, tensor<i32>) -> tensor<300007xi32>
  return %0 : tensor<300007xi32>
}
