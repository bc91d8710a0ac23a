// What is checked of sizes at run time goes, and what only the checks needed; all else stays.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s --check-prefix=CHECKED
// RUN: %shlo-opt %s --shlo-legalize-to-linalg --shlo-remove-size-checks | FileCheck %s

// CHECKED: call @shlo.check({{.*}}) {shlo.message = "stablehlo.add: {{.*}}"}
// CHECKED: func.func private @shlo.check

// CHECK-LABEL: @main
// CHECK-NOT: shlo.check
// CHECK: linalg.generic
// CHECK-NOT: shlo.check
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
