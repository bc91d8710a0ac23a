// What the C++ pass replaces is replaced by the same here.
// RUN: %shlo-opt %s --shlo-legalize-deprecated > %t.ours
// RUN: %shlo-opt %s --stablehlo-legalize-deprecated-ops > %t.upstream
// RUN: diff %t.ours %t.upstream

func.func @dot(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @vectors(%a: tensor<?xi8>, %b: tensor<?xi8>) -> tensor<i32> {
  %0 = stablehlo.dot %a, %b, precision = [HIGHEST, HIGHEST] : (tensor<?xi8>, tensor<?xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}

func.func @broadcast(%a: tensor<3xf32>) -> tensor<2x1x3xf32> {
  %0 = stablehlo.broadcast %a, sizes = [2, 1] : (tensor<3xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

func.func @create_token() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}

func.func @sum(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
