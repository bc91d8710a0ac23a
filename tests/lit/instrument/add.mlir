// A probe follows each op and is told its results; constants have none. It says which op it is of:
// name and file:line:column of the location, function, and the types of what it is told.

// RUN: %shlo-opt %s --shlo-instrument | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.constant
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT: stablehlo.custom_call @shlo.probe(%[[SUM]])
// CHECK-SAME: function = "main", location = "model.py:12:3", name = "jit(f)/add",
// CHECK-SAME: op = "stablehlo.add", operands = 0 : i64, site = 0 : i64, types = ["tensor<4xf32>"]
// CHECK-SAME: has_side_effect = true
// CHECK-NEXT: %[[SORTED:.*]]:2 = "stablehlo.sort"
// CHECK: stablehlo.custom_call @shlo.probe(%[[SORTED]]#0, %[[SORTED]]#1)
// CHECK-SAME: location = "-:[[#]]:15", name = "", op = "stablehlo.sort", operands = 0 : i64, site = 1
// CHECK-SAME: types = ["tensor<4xf32>", "tensor<4xi32>"]
// CHECK-NEXT: return

// With operands, these come first; a region's captured values are operands, too.
// RUN: %shlo-opt %s --shlo-instrument=operands=true | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: (%[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<4xi32>)
// OPERANDS: %[[C:.*]] = stablehlo.constant
// OPERANDS-NEXT: %[[SUM:.*]] = stablehlo.add
// OPERANDS-NEXT: @shlo.probe(%[[X]], %[[X]], %[[SUM]])
// OPERANDS-SAME: operands = 2 : i64
// OPERANDS: @shlo.probe(%[[SUM]], %[[N]], %[[C]], %{{.*}}#0, %{{.*}}#1)
// OPERANDS-SAME: operands = 3 : i64

func.func @main(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %large = stablehlo.constant dense<9.0> : tensor<f32>
  %sum = stablehlo.add %x, %x : tensor<4xf32> loc("jit(f)/add"("model.py":12:3))
  %sorted:2 = "stablehlo.sort"(%sum, %n) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %least = stablehlo.minimum %a, %large : tensor<f32>
    %less = stablehlo.compare LT, %least, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %sorted#0, %sorted#1 : tensor<4xf32>, tensor<4xi32>
}
