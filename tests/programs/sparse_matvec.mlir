module @jit_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<27xf32>, %arg1: tensor<27x2xi32>, %arg2: tensor<11xi32>, %arg3: tensor<12xf32>, %arg4: tensor<12x3xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<10x3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg1 [0:27, 1:2] : (tensor<27x2xi32>) -> tensor<27x1xi32>
    %1 = stablehlo.reshape %0 : (tensor<27x1xi32>) -> tensor<27xi32>
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.compare LT, %c, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %5 = stablehlo.add %c, %4 : tensor<2xi32>
    %6 = stablehlo.select %3, %5, %c : tensor<2xi1>, tensor<2xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %8 = "stablehlo.gather"(%arg1, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 27, 1>}> : (tensor<27x2xi32>, tensor<2x1xi32>) -> tensor<27x2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %10 = stablehlo.slice %8 [0:27, 0:1] : (tensor<27x2xi32>) -> tensor<27x1xi32>
    %11 = stablehlo.reshape %10 : (tensor<27x1xi32>) -> tensor<27xi32>
    %12 = stablehlo.slice %8 [0:27, 1:2] : (tensor<27x2xi32>) -> tensor<27x1xi32>
    %13 = stablehlo.reshape %12 : (tensor<27x1xi32>) -> tensor<27xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %15 = stablehlo.compare LT, %11, %14, SIGNED : (tensor<27xi32>, tensor<27xi32>) -> tensor<27xi1>
    %c_3 = stablehlo.constant dense<12> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %17 = stablehlo.add %11, %16 : tensor<27xi32>
    %18 = stablehlo.select %15, %17, %11 : tensor<27xi1>, tensor<27xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<27xi32>) -> tensor<27x1xi32>
    %c_4 = stablehlo.constant dense<11> : tensor<1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<27x1xi32>
    %21 = stablehlo.compare GE, %19, %20, SIGNED : (tensor<27x1xi32>, tensor<27x1xi32>) -> tensor<27x1xi1>
    %22 = stablehlo.broadcast_in_dim %c_4, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<27x1xi32>
    %24 = stablehlo.compare LE, %19, %23, SIGNED : (tensor<27x1xi32>, tensor<27x1xi32>) -> tensor<27x1xi1>
    %25 = stablehlo.and %21, %24 : tensor<27x1xi1>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %26 = stablehlo.reduce(%25 init: %c_6) applies stablehlo.and across dimensions = [1] : (tensor<27x1xi1>, tensor<i1>) -> tensor<27xi1>
    %27 = "stablehlo.gather"(%arg3, %19) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<27x1xi32>) -> tensor<27xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<27xf32>
    %29 = stablehlo.select %26, %27, %28 : tensor<27xi1>, tensor<27xf32>
    %30 = stablehlo.dot_general %arg0, %29, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<27xf32>, tensor<27xf32>) -> tensor<27xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %32 = stablehlo.compare LT, %13, %31, SIGNED : (tensor<27xi32>, tensor<27xi32>) -> tensor<27xi1>
    %c_9 = stablehlo.constant dense<10> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %34 = stablehlo.add %13, %33 : tensor<27xi32>
    %35 = stablehlo.select %32, %34, %13 : tensor<27xi1>, tensor<27xi32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<27xi32>) -> tensor<27x1xi32>
    %37 = "stablehlo.scatter"(%9, %36, %30) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %83 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %83 : tensor<f32>
    }) : (tensor<10xf32>, tensor<27x1xi32>, tensor<27xf32>) -> tensor<10xf32>
    %c_10 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %39 = stablehlo.compare LT, %c_10, %38, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_12 = stablehlo.constant dense<2> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %41 = stablehlo.add %c_10, %40 : tensor<2xi32>
    %42 = stablehlo.select %39, %41, %c_10 : tensor<2xi1>, tensor<2xi32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %44 = "stablehlo.gather"(%arg1, %43) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 27, 1>}> : (tensor<27x2xi32>, tensor<2x1xi32>) -> tensor<27x2xi32>
    %45 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%arg0, %arg2, %1, %arg3) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<27xf32>, tensor<11xi32>, tensor<27xi32>, tensor<12xf32>) -> tensor<10xf32>
    %c_13 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %47 = stablehlo.compare LT, %c_13, %46, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_15 = stablehlo.constant dense<2> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %49 = stablehlo.add %c_13, %48 : tensor<2xi32>
    %50 = stablehlo.select %47, %49, %c_13 : tensor<2xi1>, tensor<2xi32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %52 = "stablehlo.gather"(%44, %51) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 27, 1>}> : (tensor<27x2xi32>, tensor<2x1xi32>) -> tensor<27x2xi32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %54 = stablehlo.slice %52 [0:27, 0:1] : (tensor<27x2xi32>) -> tensor<27x1xi32>
    %55 = stablehlo.reshape %54 : (tensor<27x1xi32>) -> tensor<27xi32>
    %56 = stablehlo.slice %52 [0:27, 1:2] : (tensor<27x2xi32>) -> tensor<27x1xi32>
    %57 = stablehlo.reshape %56 : (tensor<27x1xi32>) -> tensor<27xi32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %59 = stablehlo.compare LT, %55, %58, SIGNED : (tensor<27xi32>, tensor<27xi32>) -> tensor<27xi1>
    %c_18 = stablehlo.constant dense<10> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %61 = stablehlo.add %55, %60 : tensor<27xi32>
    %62 = stablehlo.select %59, %61, %55 : tensor<27xi1>, tensor<27xi32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<27xi32>) -> tensor<27x1xi32>
    %c_19 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<27x1xi32>
    %65 = stablehlo.compare GE, %63, %64, SIGNED : (tensor<27x1xi32>, tensor<27x1xi32>) -> tensor<27x1xi1>
    %66 = stablehlo.broadcast_in_dim %c_19, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<27x1xi32>
    %68 = stablehlo.compare LE, %63, %67, SIGNED : (tensor<27x1xi32>, tensor<27x1xi32>) -> tensor<27x1xi1>
    %69 = stablehlo.and %65, %68 : tensor<27x1xi1>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %70 = stablehlo.reduce(%69 init: %c_21) applies stablehlo.and across dimensions = [1] : (tensor<27x1xi1>, tensor<i1>) -> tensor<27xi1>
    %71 = "stablehlo.gather"(%45, %63) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<10xf32>, tensor<27x1xi32>) -> tensor<27xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<27xf32>
    %73 = stablehlo.select %70, %71, %72 : tensor<27xi1>, tensor<27xf32>
    %74 = stablehlo.dot_general %arg0, %73, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<27xf32>, tensor<27xf32>) -> tensor<27xf32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %76 = stablehlo.compare LT, %57, %75, SIGNED : (tensor<27xi32>, tensor<27xi32>) -> tensor<27xi1>
    %c_24 = stablehlo.constant dense<12> : tensor<i32>
    %77 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<27xi32>
    %78 = stablehlo.add %57, %77 : tensor<27xi32>
    %79 = stablehlo.select %76, %78, %57 : tensor<27xi1>, tensor<27xi32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<27xi32>) -> tensor<27x1xi32>
    %81 = "stablehlo.scatter"(%53, %80, %74) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %83 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %83 : tensor<f32>
    }) : (tensor<12xf32>, tensor<27x1xi32>, tensor<27xf32>) -> tensor<12xf32>
    %82 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%arg0, %arg2, %1, %arg4) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<27xf32>, tensor<11xi32>, tensor<27xi32>, tensor<12x3xf32>) -> tensor<10x3xf32>
    return %37, %81, %82 : tensor<10xf32>, tensor<12xf32>, tensor<10x3xf32>
  }
}
