module @jit_evaluate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result['acos']"}, tensor<24xf32> {jax.result_info = "result['acosh']"}, tensor<24xf32> {jax.result_info = "result['asin']"}, tensor<24xf32> {jax.result_info = "result['asinh']"}, tensor<24xf32> {jax.result_info = "result['atan']"}, tensor<24xf32> {jax.result_info = "result['atanh']"}, tensor<24xf32> {jax.result_info = "result['cosh']"}, tensor<24xf32> {jax.result_info = "result['next_after']"}, tensor<24xf32> {jax.result_info = "result['sinh']"}, tensor<24xf32> {jax.result_info = "result['square']"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<24xf32>
    %2 = chlo.acos %arg0 : tensor<24xf32> -> tensor<24xf32>
    %3 = chlo.asin %arg0 : tensor<24xf32> -> tensor<24xf32>
    %4 = chlo.atan %arg1 : tensor<24xf32> -> tensor<24xf32>
    %5 = chlo.acosh %1 : tensor<24xf32> -> tensor<24xf32>
    %6 = chlo.asinh %arg1 : tensor<24xf32> -> tensor<24xf32>
    %7 = chlo.atanh %arg0 : tensor<24xf32> -> tensor<24xf32>
    %8 = chlo.cosh %arg1 : tensor<24xf32> -> tensor<24xf32>
    %9 = chlo.sinh %arg1 : tensor<24xf32> -> tensor<24xf32>
    %10 = chlo.square %arg1 : tensor<24xf32> -> tensor<24xf32>
    %11 = chlo.next_after %arg1, %1 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    return %2, %5, %3, %6, %4, %7, %8, %11, %9, %10 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
  }
}
