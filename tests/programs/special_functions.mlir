module @jit_evaluate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result['bessel_i1e']"}, tensor<24xf32> {jax.result_info = "result['digamma']"}, tensor<24xf32> {jax.result_info = "result['erf']"}, tensor<24xf32> {jax.result_info = "result['erf_inv']"}, tensor<24xf32> {jax.result_info = "result['erfc']"}, tensor<24xf32> {jax.result_info = "result['lgamma']"}, tensor<24xf32> {jax.result_info = "result['polygamma']"}, tensor<24xf32> {jax.result_info = "result['zeta']"}) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<24xf32>
    %2 = chlo.erf %arg0 : tensor<24xf32> -> tensor<24xf32>
    %3 = chlo.erfc %arg1 : tensor<24xf32> -> tensor<24xf32>
    %4 = chlo.erf_inv %arg0 : tensor<24xf32> -> tensor<24xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %6 = stablehlo.add %5, %1 : tensor<24xf32>
    %7 = chlo.lgamma %6 : tensor<24xf32> -> tensor<24xf32>
    %8 = chlo.digamma %1 : tensor<24xf32> -> tensor<24xf32>
    %9 = chlo.zeta %1, %arg1 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %11 = chlo.polygamma %10, %arg1 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    %12 = chlo.bessel_i1e %arg1 : tensor<24xf32> -> tensor<24xf32>
    return %12, %8, %2, %4, %3, %7, %11, %9 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
  }
}
