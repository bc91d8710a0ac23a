// The region of shape.reduce once for every extent: one after the other, or in a loop.
// RUN: %shlo-opt %s --shlo-legalize-shape | FileCheck %s

// CHECK-LABEL: func.func @ranked(%arg0: tensor<2xi64>, %arg1: tensor<i64>)
// CHECK: %[[A:.+]] = stablehlo.reshape
// CHECK: %[[B:.+]] = stablehlo.reshape
// CHECK-NOT: while
// CHECK: %[[ONE:.+]] = stablehlo.add %arg1, %[[A]]
// CHECK: %[[TWO:.+]] = stablehlo.add %[[ONE]], %[[B]]
// CHECK: return %[[TWO]]
func.func @ranked(%s: tensor<2xindex>, %start: index) -> index {
  %0 = shape.reduce(%s, %start) : tensor<2xindex> -> index {
  ^bb0(%i: index, %extent: index, %sum: index):
    %1 = arith.addi %sum, %extent : index
    shape.yield %1 : index
  }
  return %0 : index
}

// A size that a step makes invalid takes a code through the loop, which the message is told by.
// CHECK-LABEL: func.func @unranked(%arg0: tensor<?xi64>)
// CHECK: %[[LOOP:.+]]:3 = stablehlo.while(%[[I:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %[[CODE:.+]] = %{{.+}}) : tensor<i64>, tensor<i64>, tensor<i32>
// CHECK: stablehlo.compare LT, %[[I]],
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.divide
// CHECK: stablehlo.return %{{.+}}, %{{.+}}, %{{.+}} : tensor<i64>, tensor<i64>, tensor<i32>
// CHECK: %[[VALID:.+]] = stablehlo.compare NE, %[[LOOP]]#2, %{{.+}}, SIGNED : (tensor<i32>, tensor<i32>)
// CHECK: stablehlo.custom_call @shape_assertion(%[[VALID]]) {error_message = "shape.div: ? is divided by 0"
// CHECK: return %[[LOOP]]#1
func.func @unranked(%s: !shape.shape) -> !shape.size {
  %start = shape.const_size 1000
  %0 = shape.reduce(%s, %start) : !shape.shape -> !shape.size {
  ^bb0(%i: index, %extent: !shape.size, %q: !shape.size):
    %1 = shape.div %q, %extent : !shape.size, !shape.size -> !shape.size
    shape.yield %1 : !shape.size
  }
  return %0 : !shape.size
}
