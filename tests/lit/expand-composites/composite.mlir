// A composite is a call of its decomposition, whatever its name, version and attributes say.
// RUN: %shlo-opt %s --shlo-expand-composites | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[R:.*]]:2 = call @impl(%arg0, %arg1) : (tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4xf32>)
// CHECK-NEXT: return %[[R]]#1
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.composite "my.op" %a, %b {
    composite_attributes = {axis = 1 : i64}, decomposition = @impl, version = 3 : i32
  } : (tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// Inside regions and inside other decompositions, too.
// CHECK-LABEL: func.func private @impl(
// CHECK: "stablehlo.if"
// CHECK: func.call @negated(%arg0)
// CHECK-NOT: stablehlo.composite
// CHECK: return
func.func private @impl(%a: tensor<4xf32>, %b: tensor<i32>) -> (tensor<i32>, tensor<4xf32>) {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.composite "my.neg" %a {decomposition = @negated} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %b, %0 : tensor<i32>, tensor<4xf32>
}

func.func private @negated(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
