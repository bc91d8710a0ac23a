// The condition passes the carried values on as they are; the body's results are the next ones.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %arg0, %[[X:.*]] = %arg1)
// CHECK: %[[HOLDS:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK-NEXT: scf.condition(%[[HOLDS]]) %[[I]], %[[X]]
// CHECK: ^bb0(%[[J:.*]]: tensor<i32>, %[[Y:.*]]: tensor<4xf32>):
// CHECK: %[[NEXT:.*]] = linalg.generic {{.*}} ins(%[[J]], %arg2 :
// CHECK: scf.yield %[[NEXT]], %[[Y]]
// CHECK: return %[[R]]#1
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %a, %n : tensor<i32>
      stablehlo.return %1, %b : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}

// A token is carried by nothing.
// CHECK-LABEL: @token
// CHECK: scf.while (%{{[^,]*}} = %arg0) : (tensor<i1>) -> tensor<i1>
func.func @token(%p: tensor<i1>) -> tensor<i1> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = stablehlo.while(%a = %t, %b = %p) : !stablehlo.token, tensor<i1>
    cond {
      stablehlo.return %b : tensor<i1>
    } do {
      stablehlo.return %a, %b : !stablehlo.token, tensor<i1>
    }
  return %0#1 : tensor<i1>
}
