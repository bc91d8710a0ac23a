// A token that nothing comes before waits for nothing.
// RUN: %shlo-opt %s --shlo-legalize-deprecated | FileCheck %s

// CHECK-LABEL: @main
// CHECK: stablehlo.after_all : !stablehlo.token
// CHECK-NOT: create_token
func.func @main() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}
