module {
  func.func @main(%arg0: tensor<2x6xi64>) -> tensor<2x6x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x4x6x6xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_11> : tensor<16xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_10> : tensor<16xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_9> : tensor<16xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_16_32_torch.float32_1> : tensor<16x32xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_32_torch.float32_1> : tensor<32xf32>
    %cst_5 = stablehlo.constant dense_resource<torch_tensor_32_16_torch.float32_1> : tensor<32x16xf32>
    %cst_6 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_8> : tensor<16xf32>
    %cst_7 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_7> : tensor<16xf32>
    %cst_8 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_6> : tensor<16xf32>
    %cst_9 = stablehlo.constant dense_resource<torch_tensor_16_16_torch.float32_1> : tensor<16x16xf32>
    %cst_10 = stablehlo.constant dense_resource<torch_tensor_48_torch.float32_1> : tensor<48xf32>
    %cst_11 = stablehlo.constant dense_resource<torch_tensor_48_16_torch.float32_1> : tensor<48x16xf32>
    %cst_12 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_5> : tensor<16xf32>
    %cst_13 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_4> : tensor<16xf32>
    %cst_14 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_3> : tensor<16xf32>
    %cst_15 = stablehlo.constant dense_resource<torch_tensor_16_32_torch.float32> : tensor<16x32xf32>
    %cst_16 = stablehlo.constant dense_resource<torch_tensor_32_torch.float32> : tensor<32xf32>
    %cst_17 = stablehlo.constant dense_resource<torch_tensor_32_16_torch.float32> : tensor<32x16xf32>
    %cst_18 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_19 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_20 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_21 = stablehlo.constant dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>
    %cst_22 = stablehlo.constant dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>
    %cst_23 = stablehlo.constant dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>
    %cst_24 = stablehlo.constant dense_resource<torch_tensor_30_16_torch.float32> : tensor<30x16xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<2x6x32xf32>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<2x6x32xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<2x6x32xf32>
    %cst_31 = stablehlo.constant dense<-4.000000e+00> : tensor<2x6x32xf32>
    %cst_32 = stablehlo.constant dense<4.000000e+00> : tensor<2x6x32xf32>
    %cst_33 = stablehlo.constant dense<-2.72614237E-10> : tensor<2x6x32xf32>
    %cst_34 = stablehlo.constant dense<2.77068146E-8> : tensor<2x6x32xf32>
    %cst_35 = stablehlo.constant dense<-2.10102394E-6> : tensor<2x6x32xf32>
    %cst_36 = stablehlo.constant dense<-5.69250624E-5> : tensor<2x6x32xf32>
    %cst_37 = stablehlo.constant dense<-7.34990637E-4> : tensor<2x6x32xf32>
    %cst_38 = stablehlo.constant dense<-2.954600e-03> : tensor<2x6x32xf32>
    %cst_39 = stablehlo.constant dense<-0.0160960332> : tensor<2x6x32xf32>
    %cst_40 = stablehlo.constant dense<-1.45660715E-5> : tensor<2x6x32xf32>
    %cst_41 = stablehlo.constant dense<-2.13374049E-4> : tensor<2x6x32xf32>
    %cst_42 = stablehlo.constant dense<-0.00168282702> : tensor<2x6x32xf32>
    %cst_43 = stablehlo.constant dense<-0.00737332925> : tensor<2x6x32xf32>
    %cst_44 = stablehlo.constant dense<-0.0142647391> : tensor<2x6x32xf32>
    %cst_45 = stablehlo.constant dense<-1.000000e+00> : tensor<2x6x32xf32>
    %cst_46 = arith.constant dense<0.70710678118654757> : tensor<1xf64>
    %cst_47 = arith.constant dense<0xFFF0000000000000> : tensor<1xf64>
    %cst_48 = arith.constant dense<1> : tensor<1xi64>
    %cst_49 = arith.constant dense<16> : tensor<1xi64>
    %cst_50 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %0 = "stablehlo.gather"(%cst_24, %arg0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<30x16xf32>, tensor<2x6xi64>) -> tensor<2x6x16xf32>
    %1 = stablehlo.convert %0 : tensor<2x6x16xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<2x6x16xf32>) -> tensor<6x2x16xf32>
    %3 = stablehlo.transpose %cst_23, dims = [1, 0] : (tensor<48x16xf32>) -> tensor<16x48xf32>
    %4 = stablehlo.reshape %2 : (tensor<6x2x16xf32>) -> tensor<6x2x16xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<16x48xf32>) -> tensor<6x16x48xf32>
    %6 = stablehlo.reshape %5 : (tensor<6x16x48xf32>) -> tensor<6x16x48xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<6x16x48xf32>) -> tensor<6x16x48xf32>
    %8 = stablehlo.dot_general %4, %7, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x2x16xf32>, tensor<6x16x48xf32>) -> tensor<6x2x48xf32>
    %9 = stablehlo.reshape %8 : (tensor<6x2x48xf32>) -> tensor<6x2x48xf32>
    %10 = stablehlo.broadcast_in_dim %cst_22, dims = [2] : (tensor<48xf32>) -> tensor<6x2x48xf32>
    %11 = stablehlo.add %9, %10 : tensor<6x2x48xf32>
    %12 = stablehlo.reshape %11 : (tensor<6x2x48xf32>) -> tensor<6x2x3x16xf32>
    %13 = stablehlo.reshape %12 : (tensor<6x2x3x16xf32>) -> tensor<1x6x2x3x16xf32>
    %14 = stablehlo.transpose %13, dims = [3, 1, 2, 0, 4] : (tensor<1x6x2x3x16xf32>) -> tensor<3x6x2x1x16xf32>
    %15 = stablehlo.reshape %14 : (tensor<3x6x2x1x16xf32>) -> tensor<3x6x2x16xf32>
    %16 = stablehlo.slice %15 [0:1, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %18 = stablehlo.slice %15 [1:2, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %20 = stablehlo.slice %15 [2:3, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %22 = stablehlo.reshape %17 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %24 = stablehlo.reshape %19 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %25 = stablehlo.transpose %24, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %26 = stablehlo.reshape %21 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %28 = stablehlo.reshape %23 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %29 = stablehlo.reshape %25 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %30 = stablehlo.reshape %27 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %31 = stablehlo.convert %cst_46 : (tensor<1xf64>) -> tensor<1xf32>
    %32 = stablehlo.reshape %31 : (tensor<1xf32>) -> tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<2x4x6x4xf32>
    %34 = stablehlo.multiply %28, %33 : tensor<2x4x6x4xf32>
    %35 = stablehlo.transpose %29, dims = [0, 1, 3, 2] : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
    %36 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<2x4x4x6xf32>
    %37 = stablehlo.multiply %35, %36 : tensor<2x4x4x6xf32>
    %38 = stablehlo.reshape %34 : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %39 = stablehlo.reshape %37 : (tensor<2x4x4x6xf32>) -> tensor<8x4x6xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
    %41 = stablehlo.dot_general %38, %40, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x4xf32>, tensor<8x4x6xf32>) -> tensor<8x6x6xf32>
    %42 = stablehlo.reshape %41 : (tensor<8x6x6xf32>) -> tensor<2x4x6x6xf32>
    %43 = stablehlo.reduce(%42 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %44 = stablehlo.reshape %43 : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %46 = stablehlo.subtract %42, %45 : tensor<2x4x6x6xf32>
    %47 = stablehlo.exponential %46 : tensor<2x4x6x6xf32>
    %48 = stablehlo.reduce(%47 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %49 = stablehlo.reshape %48 : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %51 = stablehlo.divide %47, %50 : tensor<2x4x6x6xf32>
    %52 = stablehlo.convert %cst_47 : tensor<1xf64>
    %53 = stablehlo.reshape %52 : (tensor<1xf64>) -> tensor<f64>
    %54 = stablehlo.convert %53 : (tensor<f64>) -> tensor<f32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f32>) -> tensor<2x4x6x6xf32>
    %56 = stablehlo.compare EQ, %42, %55, FLOAT : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xi1>
    %57 = stablehlo.reduce(%56 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<2x4x6x6xi1>, tensor<i1>) -> tensor<2x4x6xi1>
    %58 = stablehlo.reshape %57 : (tensor<2x4x6xi1>) -> tensor<2x4x6x1xi1>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xi1>) -> tensor<2x4x6x6xi1>
    %60 = stablehlo.broadcast_in_dim %cst, dims = [0, 1, 2, 3] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %61 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %62 = stablehlo.select %59, %60, %61 : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
    %63 = stablehlo.reshape %62 : (tensor<2x4x6x6xf32>) -> tensor<8x6x6xf32>
    %64 = stablehlo.reshape %30 : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %66 = stablehlo.dot_general %63, %65, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %67 = stablehlo.reshape %66 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %68 = stablehlo.transpose %67, dims = [2, 0, 1, 3] : (tensor<2x4x6x4xf32>) -> tensor<6x2x4x4xf32>
    %69 = stablehlo.transpose %68, dims = [1, 2, 0, 3] : (tensor<6x2x4x4xf32>) -> tensor<2x4x6x4xf32>
    %70 = stablehlo.transpose %69, dims = [2, 0, 1, 3] : (tensor<2x4x6x4xf32>) -> tensor<6x2x4x4xf32>
    %71 = stablehlo.reshape %70 : (tensor<6x2x4x4xf32>) -> tensor<12x16xf32>
    %72 = stablehlo.transpose %cst_21, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %73 = stablehlo.dot_general %71, %72, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x16xf32>) -> tensor<12x16xf32>
    %74 = stablehlo.convert %cst_48 : (tensor<1xi64>) -> tensor<1xf32>
    %75 = stablehlo.reshape %74 : (tensor<1xf32>) -> tensor<f32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %77 = stablehlo.multiply %73, %76 : tensor<12x16xf32>
    %78 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %79 = stablehlo.multiply %78, %cst_20 : tensor<16xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1] : (tensor<16xf32>) -> tensor<12x16xf32>
    %81 = stablehlo.add %77, %80 : tensor<12x16xf32>
    %82 = stablehlo.reshape %81 : (tensor<12x16xf32>) -> tensor<6x2x16xf32>
    %83 = stablehlo.transpose %82, dims = [1, 0, 2] : (tensor<6x2x16xf32>) -> tensor<2x6x16xf32>
    %84 = stablehlo.add %1, %83 : tensor<2x6x16xf32>
    %85 = stablehlo.convert %84 : (tensor<2x6x16xf32>) -> tensor<2x6x16xf64>
    %86 = stablehlo.reduce(%85 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %87 = stablehlo.reshape %86 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %88 = stablehlo.convert %cst_49 : (tensor<1xi64>) -> tensor<1xf64>
    %89 = stablehlo.reshape %88 : (tensor<1xf64>) -> tensor<f64>
    %90 = stablehlo.broadcast_in_dim %89, dims = [] : (tensor<f64>) -> tensor<2x6x1xf64>
    %91 = stablehlo.divide %87, %90 : tensor<2x6x1xf64>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<2x6x1xf64>) -> tensor<2x6x16xf64>
    %93 = stablehlo.subtract %85, %92 : tensor<2x6x16xf64>
    %94 = stablehlo.multiply %93, %93 : tensor<2x6x16xf64>
    %95 = stablehlo.reduce(%94 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %96 = stablehlo.reshape %95 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %97 = stablehlo.divide %96, %90 : tensor<2x6x1xf64>
    %98 = stablehlo.convert %97 : (tensor<2x6x1xf64>) -> tensor<2x6x1xf32>
    %99 = stablehlo.reduce(%84 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %100 = stablehlo.reshape %99 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %101 = stablehlo.convert %cst_49 : (tensor<1xi64>) -> tensor<1xf32>
    %102 = stablehlo.reshape %101 : (tensor<1xf32>) -> tensor<f32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %104 = stablehlo.divide %100, %103 : tensor<2x6x1xf32>
    %105 = stablehlo.convert %cst_50 : (tensor<1xf64>) -> tensor<1xf32>
    %106 = stablehlo.reshape %105 : (tensor<1xf32>) -> tensor<f32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %108 = stablehlo.add %98, %107 : tensor<2x6x1xf32>
    %109 = stablehlo.rsqrt %108 : tensor<2x6x1xf32>
    %110 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %111 = stablehlo.subtract %84, %110 : tensor<2x6x16xf32>
    %112 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %113 = stablehlo.multiply %111, %112 : tensor<2x6x16xf32>
    %114 = stablehlo.broadcast_in_dim %cst_19, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %115 = stablehlo.multiply %113, %114 : tensor<2x6x16xf32>
    %116 = stablehlo.broadcast_in_dim %cst_18, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %117 = stablehlo.add %115, %116 : tensor<2x6x16xf32>
    %118 = stablehlo.reshape %117 : (tensor<2x6x16xf32>) -> tensor<12x16xf32>
    %119 = stablehlo.transpose %cst_17, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %120 = stablehlo.dot_general %118, %119, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
    %121 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<12x32xf32>
    %122 = stablehlo.multiply %120, %121 : tensor<12x32xf32>
    %123 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %124 = stablehlo.multiply %123, %cst_16 : tensor<32xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32>
    %126 = stablehlo.add %122, %125 : tensor<12x32xf32>
    %127 = stablehlo.reshape %126 : (tensor<12x32xf32>) -> tensor<2x6x32xf32>
    %128 = stablehlo.multiply %127, %cst_30 : tensor<2x6x32xf32>
    %129 = stablehlo.rsqrt %cst_29 : tensor<2x6x32xf32>
    %130 = stablehlo.multiply %127, %129 : tensor<2x6x32xf32>
    %131 = stablehlo.clamp %cst_31, %130, %cst_32 : tensor<2x6x32xf32>
    %132 = stablehlo.multiply %131, %131 : tensor<2x6x32xf32>
    %133 = stablehlo.multiply %cst_33, %132 : tensor<2x6x32xf32>
    %134 = stablehlo.add %133, %cst_34 : tensor<2x6x32xf32>
    %135 = stablehlo.multiply %134, %132 : tensor<2x6x32xf32>
    %136 = stablehlo.add %135, %cst_35 : tensor<2x6x32xf32>
    %137 = stablehlo.multiply %136, %132 : tensor<2x6x32xf32>
    %138 = stablehlo.add %137, %cst_36 : tensor<2x6x32xf32>
    %139 = stablehlo.multiply %138, %132 : tensor<2x6x32xf32>
    %140 = stablehlo.add %139, %cst_37 : tensor<2x6x32xf32>
    %141 = stablehlo.multiply %140, %132 : tensor<2x6x32xf32>
    %142 = stablehlo.add %141, %cst_38 : tensor<2x6x32xf32>
    %143 = stablehlo.multiply %142, %132 : tensor<2x6x32xf32>
    %144 = stablehlo.add %143, %cst_39 : tensor<2x6x32xf32>
    %145 = stablehlo.multiply %cst_40, %132 : tensor<2x6x32xf32>
    %146 = stablehlo.add %145, %cst_41 : tensor<2x6x32xf32>
    %147 = stablehlo.multiply %146, %132 : tensor<2x6x32xf32>
    %148 = stablehlo.add %147, %cst_42 : tensor<2x6x32xf32>
    %149 = stablehlo.multiply %148, %132 : tensor<2x6x32xf32>
    %150 = stablehlo.add %149, %cst_43 : tensor<2x6x32xf32>
    %151 = stablehlo.multiply %150, %132 : tensor<2x6x32xf32>
    %152 = stablehlo.add %151, %cst_44 : tensor<2x6x32xf32>
    %153 = stablehlo.multiply %131, %144 : tensor<2x6x32xf32>
    %154 = stablehlo.divide %153, %152 : tensor<2x6x32xf32>
    %155 = stablehlo.clamp %cst_45, %154, %cst_28 : tensor<2x6x32xf32>
    %156 = stablehlo.add %155, %cst_28 : tensor<2x6x32xf32>
    %157 = stablehlo.multiply %156, %128 : tensor<2x6x32xf32>
    %158 = stablehlo.reshape %157 : (tensor<2x6x32xf32>) -> tensor<12x32xf32>
    %159 = stablehlo.transpose %cst_15, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %160 = stablehlo.dot_general %158, %159, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x16xf32>) -> tensor<12x16xf32>
    %161 = stablehlo.multiply %160, %76 : tensor<12x16xf32>
    %162 = stablehlo.multiply %78, %cst_14 : tensor<16xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [1] : (tensor<16xf32>) -> tensor<12x16xf32>
    %164 = stablehlo.add %161, %163 : tensor<12x16xf32>
    %165 = stablehlo.reshape %164 : (tensor<12x16xf32>) -> tensor<2x6x16xf32>
    %166 = stablehlo.add %117, %165 : tensor<2x6x16xf32>
    %167 = stablehlo.convert %166 : (tensor<2x6x16xf32>) -> tensor<2x6x16xf64>
    %168 = stablehlo.reduce(%167 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %169 = stablehlo.reshape %168 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %170 = stablehlo.divide %169, %90 : tensor<2x6x1xf64>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2] : (tensor<2x6x1xf64>) -> tensor<2x6x16xf64>
    %172 = stablehlo.subtract %167, %171 : tensor<2x6x16xf64>
    %173 = stablehlo.multiply %172, %172 : tensor<2x6x16xf64>
    %174 = stablehlo.reduce(%173 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %175 = stablehlo.reshape %174 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %176 = stablehlo.divide %175, %90 : tensor<2x6x1xf64>
    %177 = stablehlo.convert %176 : (tensor<2x6x1xf64>) -> tensor<2x6x1xf32>
    %178 = stablehlo.reduce(%166 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %179 = stablehlo.reshape %178 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %180 = stablehlo.divide %179, %103 : tensor<2x6x1xf32>
    %181 = stablehlo.add %177, %107 : tensor<2x6x1xf32>
    %182 = stablehlo.rsqrt %181 : tensor<2x6x1xf32>
    %183 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %184 = stablehlo.subtract %166, %183 : tensor<2x6x16xf32>
    %185 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %186 = stablehlo.multiply %184, %185 : tensor<2x6x16xf32>
    %187 = stablehlo.broadcast_in_dim %cst_13, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %188 = stablehlo.multiply %186, %187 : tensor<2x6x16xf32>
    %189 = stablehlo.broadcast_in_dim %cst_12, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %190 = stablehlo.add %188, %189 : tensor<2x6x16xf32>
    %191 = stablehlo.transpose %190, dims = [1, 0, 2] : (tensor<2x6x16xf32>) -> tensor<6x2x16xf32>
    %192 = stablehlo.transpose %cst_11, dims = [1, 0] : (tensor<48x16xf32>) -> tensor<16x48xf32>
    %193 = stablehlo.reshape %191 : (tensor<6x2x16xf32>) -> tensor<6x2x16xf32>
    %194 = stablehlo.broadcast_in_dim %192, dims = [1, 2] : (tensor<16x48xf32>) -> tensor<6x16x48xf32>
    %195 = stablehlo.reshape %194 : (tensor<6x16x48xf32>) -> tensor<6x16x48xf32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [0, 1, 2] : (tensor<6x16x48xf32>) -> tensor<6x16x48xf32>
    %197 = stablehlo.dot_general %193, %196, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x2x16xf32>, tensor<6x16x48xf32>) -> tensor<6x2x48xf32>
    %198 = stablehlo.reshape %197 : (tensor<6x2x48xf32>) -> tensor<6x2x48xf32>
    %199 = stablehlo.broadcast_in_dim %cst_10, dims = [2] : (tensor<48xf32>) -> tensor<6x2x48xf32>
    %200 = stablehlo.add %198, %199 : tensor<6x2x48xf32>
    %201 = stablehlo.reshape %200 : (tensor<6x2x48xf32>) -> tensor<6x2x3x16xf32>
    %202 = stablehlo.reshape %201 : (tensor<6x2x3x16xf32>) -> tensor<1x6x2x3x16xf32>
    %203 = stablehlo.transpose %202, dims = [3, 1, 2, 0, 4] : (tensor<1x6x2x3x16xf32>) -> tensor<3x6x2x1x16xf32>
    %204 = stablehlo.reshape %203 : (tensor<3x6x2x1x16xf32>) -> tensor<3x6x2x16xf32>
    %205 = stablehlo.slice %204 [0:1, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %206 = stablehlo.reshape %205 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %207 = stablehlo.slice %204 [1:2, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %208 = stablehlo.reshape %207 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %209 = stablehlo.slice %204 [2:3, 0:6, 0:2, 0:16] : (tensor<3x6x2x16xf32>) -> tensor<1x6x2x16xf32>
    %210 = stablehlo.reshape %209 : (tensor<1x6x2x16xf32>) -> tensor<6x2x16xf32>
    %211 = stablehlo.reshape %206 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %212 = stablehlo.transpose %211, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %213 = stablehlo.reshape %208 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %214 = stablehlo.transpose %213, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %215 = stablehlo.reshape %210 : (tensor<6x2x16xf32>) -> tensor<6x8x4xf32>
    %216 = stablehlo.transpose %215, dims = [1, 0, 2] : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %217 = stablehlo.reshape %212 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %218 = stablehlo.reshape %214 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %219 = stablehlo.reshape %216 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %220 = stablehlo.multiply %217, %33 : tensor<2x4x6x4xf32>
    %221 = stablehlo.transpose %218, dims = [0, 1, 3, 2] : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
    %222 = stablehlo.multiply %221, %36 : tensor<2x4x4x6xf32>
    %223 = stablehlo.reshape %220 : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %224 = stablehlo.reshape %222 : (tensor<2x4x4x6xf32>) -> tensor<8x4x6xf32>
    %225 = stablehlo.broadcast_in_dim %224, dims = [0, 1, 2] : (tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
    %226 = stablehlo.dot_general %223, %225, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x4xf32>, tensor<8x4x6xf32>) -> tensor<8x6x6xf32>
    %227 = stablehlo.reshape %226 : (tensor<8x6x6xf32>) -> tensor<2x4x6x6xf32>
    %228 = stablehlo.reduce(%227 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %229 = stablehlo.reshape %228 : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %231 = stablehlo.subtract %227, %230 : tensor<2x4x6x6xf32>
    %232 = stablehlo.exponential %231 : tensor<2x4x6x6xf32>
    %233 = stablehlo.reduce(%232 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %234 = stablehlo.reshape %233 : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %235 = stablehlo.broadcast_in_dim %234, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xf32>) -> tensor<2x4x6x6xf32>
    %236 = stablehlo.divide %232, %235 : tensor<2x4x6x6xf32>
    %237 = stablehlo.compare EQ, %227, %55, FLOAT : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xi1>
    %238 = stablehlo.reduce(%237 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<2x4x6x6xi1>, tensor<i1>) -> tensor<2x4x6xi1>
    %239 = stablehlo.reshape %238 : (tensor<2x4x6xi1>) -> tensor<2x4x6x1xi1>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1, 2, 3] : (tensor<2x4x6x1xi1>) -> tensor<2x4x6x6xi1>
    %241 = stablehlo.broadcast_in_dim %236, dims = [0, 1, 2, 3] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %242 = stablehlo.select %240, %60, %241 : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
    %243 = stablehlo.reshape %242 : (tensor<2x4x6x6xf32>) -> tensor<8x6x6xf32>
    %244 = stablehlo.reshape %219 : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2] : (tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %246 = stablehlo.dot_general %243, %245, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x6x6xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %247 = stablehlo.reshape %246 : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %248 = stablehlo.transpose %247, dims = [2, 0, 1, 3] : (tensor<2x4x6x4xf32>) -> tensor<6x2x4x4xf32>
    %249 = stablehlo.transpose %248, dims = [1, 2, 0, 3] : (tensor<6x2x4x4xf32>) -> tensor<2x4x6x4xf32>
    %250 = stablehlo.transpose %249, dims = [2, 0, 1, 3] : (tensor<2x4x6x4xf32>) -> tensor<6x2x4x4xf32>
    %251 = stablehlo.reshape %250 : (tensor<6x2x4x4xf32>) -> tensor<12x16xf32>
    %252 = stablehlo.transpose %cst_9, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %253 = stablehlo.dot_general %251, %252, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x16xf32>) -> tensor<12x16xf32>
    %254 = stablehlo.multiply %253, %76 : tensor<12x16xf32>
    %255 = stablehlo.multiply %78, %cst_8 : tensor<16xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [1] : (tensor<16xf32>) -> tensor<12x16xf32>
    %257 = stablehlo.add %254, %256 : tensor<12x16xf32>
    %258 = stablehlo.reshape %257 : (tensor<12x16xf32>) -> tensor<6x2x16xf32>
    %259 = stablehlo.transpose %258, dims = [1, 0, 2] : (tensor<6x2x16xf32>) -> tensor<2x6x16xf32>
    %260 = stablehlo.add %190, %259 : tensor<2x6x16xf32>
    %261 = stablehlo.convert %260 : (tensor<2x6x16xf32>) -> tensor<2x6x16xf64>
    %262 = stablehlo.reduce(%261 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %263 = stablehlo.reshape %262 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %264 = stablehlo.divide %263, %90 : tensor<2x6x1xf64>
    %265 = stablehlo.broadcast_in_dim %264, dims = [0, 1, 2] : (tensor<2x6x1xf64>) -> tensor<2x6x16xf64>
    %266 = stablehlo.subtract %261, %265 : tensor<2x6x16xf64>
    %267 = stablehlo.multiply %266, %266 : tensor<2x6x16xf64>
    %268 = stablehlo.reduce(%267 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %269 = stablehlo.reshape %268 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %270 = stablehlo.divide %269, %90 : tensor<2x6x1xf64>
    %271 = stablehlo.convert %270 : (tensor<2x6x1xf64>) -> tensor<2x6x1xf32>
    %272 = stablehlo.reduce(%260 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %273 = stablehlo.reshape %272 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %274 = stablehlo.divide %273, %103 : tensor<2x6x1xf32>
    %275 = stablehlo.add %271, %107 : tensor<2x6x1xf32>
    %276 = stablehlo.rsqrt %275 : tensor<2x6x1xf32>
    %277 = stablehlo.broadcast_in_dim %274, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %278 = stablehlo.subtract %260, %277 : tensor<2x6x16xf32>
    %279 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %280 = stablehlo.multiply %278, %279 : tensor<2x6x16xf32>
    %281 = stablehlo.broadcast_in_dim %cst_7, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %282 = stablehlo.multiply %280, %281 : tensor<2x6x16xf32>
    %283 = stablehlo.broadcast_in_dim %cst_6, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %284 = stablehlo.add %282, %283 : tensor<2x6x16xf32>
    %285 = stablehlo.reshape %284 : (tensor<2x6x16xf32>) -> tensor<12x16xf32>
    %286 = stablehlo.transpose %cst_5, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %287 = stablehlo.dot_general %285, %286, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
    %288 = stablehlo.multiply %287, %121 : tensor<12x32xf32>
    %289 = stablehlo.multiply %123, %cst_4 : tensor<32xf32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32>
    %291 = stablehlo.add %288, %290 : tensor<12x32xf32>
    %292 = stablehlo.reshape %291 : (tensor<12x32xf32>) -> tensor<2x6x32xf32>
    %293 = stablehlo.multiply %292, %cst_30 : tensor<2x6x32xf32>
    %294 = stablehlo.multiply %292, %129 : tensor<2x6x32xf32>
    %295 = stablehlo.clamp %cst_31, %294, %cst_32 : tensor<2x6x32xf32>
    %296 = stablehlo.multiply %295, %295 : tensor<2x6x32xf32>
    %297 = stablehlo.multiply %cst_33, %296 : tensor<2x6x32xf32>
    %298 = stablehlo.add %297, %cst_34 : tensor<2x6x32xf32>
    %299 = stablehlo.multiply %298, %296 : tensor<2x6x32xf32>
    %300 = stablehlo.add %299, %cst_35 : tensor<2x6x32xf32>
    %301 = stablehlo.multiply %300, %296 : tensor<2x6x32xf32>
    %302 = stablehlo.add %301, %cst_36 : tensor<2x6x32xf32>
    %303 = stablehlo.multiply %302, %296 : tensor<2x6x32xf32>
    %304 = stablehlo.add %303, %cst_37 : tensor<2x6x32xf32>
    %305 = stablehlo.multiply %304, %296 : tensor<2x6x32xf32>
    %306 = stablehlo.add %305, %cst_38 : tensor<2x6x32xf32>
    %307 = stablehlo.multiply %306, %296 : tensor<2x6x32xf32>
    %308 = stablehlo.add %307, %cst_39 : tensor<2x6x32xf32>
    %309 = stablehlo.multiply %cst_40, %296 : tensor<2x6x32xf32>
    %310 = stablehlo.add %309, %cst_41 : tensor<2x6x32xf32>
    %311 = stablehlo.multiply %310, %296 : tensor<2x6x32xf32>
    %312 = stablehlo.add %311, %cst_42 : tensor<2x6x32xf32>
    %313 = stablehlo.multiply %312, %296 : tensor<2x6x32xf32>
    %314 = stablehlo.add %313, %cst_43 : tensor<2x6x32xf32>
    %315 = stablehlo.multiply %314, %296 : tensor<2x6x32xf32>
    %316 = stablehlo.add %315, %cst_44 : tensor<2x6x32xf32>
    %317 = stablehlo.multiply %295, %308 : tensor<2x6x32xf32>
    %318 = stablehlo.divide %317, %316 : tensor<2x6x32xf32>
    %319 = stablehlo.clamp %cst_45, %318, %cst_28 : tensor<2x6x32xf32>
    %320 = stablehlo.add %319, %cst_28 : tensor<2x6x32xf32>
    %321 = stablehlo.multiply %320, %293 : tensor<2x6x32xf32>
    %322 = stablehlo.reshape %321 : (tensor<2x6x32xf32>) -> tensor<12x32xf32>
    %323 = stablehlo.transpose %cst_3, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %324 = stablehlo.dot_general %322, %323, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x16xf32>) -> tensor<12x16xf32>
    %325 = stablehlo.multiply %324, %76 : tensor<12x16xf32>
    %326 = stablehlo.multiply %78, %cst_2 : tensor<16xf32>
    %327 = stablehlo.broadcast_in_dim %326, dims = [1] : (tensor<16xf32>) -> tensor<12x16xf32>
    %328 = stablehlo.add %325, %327 : tensor<12x16xf32>
    %329 = stablehlo.reshape %328 : (tensor<12x16xf32>) -> tensor<2x6x16xf32>
    %330 = stablehlo.add %284, %329 : tensor<2x6x16xf32>
    %331 = stablehlo.convert %330 : (tensor<2x6x16xf32>) -> tensor<2x6x16xf64>
    %332 = stablehlo.reduce(%331 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %333 = stablehlo.reshape %332 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %334 = stablehlo.divide %333, %90 : tensor<2x6x1xf64>
    %335 = stablehlo.broadcast_in_dim %334, dims = [0, 1, 2] : (tensor<2x6x1xf64>) -> tensor<2x6x16xf64>
    %336 = stablehlo.subtract %331, %335 : tensor<2x6x16xf64>
    %337 = stablehlo.multiply %336, %336 : tensor<2x6x16xf64>
    %338 = stablehlo.reduce(%337 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf64>, tensor<f64>) -> tensor<2x6xf64>
    %339 = stablehlo.reshape %338 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %340 = stablehlo.divide %339, %90 : tensor<2x6x1xf64>
    %341 = stablehlo.convert %340 : (tensor<2x6x1xf64>) -> tensor<2x6x1xf32>
    %342 = stablehlo.reduce(%330 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x6x16xf32>, tensor<f32>) -> tensor<2x6xf32>
    %343 = stablehlo.reshape %342 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %344 = stablehlo.divide %343, %103 : tensor<2x6x1xf32>
    %345 = stablehlo.add %341, %107 : tensor<2x6x1xf32>
    %346 = stablehlo.rsqrt %345 : tensor<2x6x1xf32>
    %347 = stablehlo.broadcast_in_dim %344, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %348 = stablehlo.subtract %330, %347 : tensor<2x6x16xf32>
    %349 = stablehlo.broadcast_in_dim %346, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x16xf32>
    %350 = stablehlo.multiply %348, %349 : tensor<2x6x16xf32>
    %351 = stablehlo.broadcast_in_dim %cst_1, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %352 = stablehlo.multiply %350, %351 : tensor<2x6x16xf32>
    %353 = stablehlo.broadcast_in_dim %cst_0, dims = [2] : (tensor<16xf32>) -> tensor<2x6x16xf32>
    %354 = stablehlo.add %352, %353 : tensor<2x6x16xf32>
    return %354 : tensor<2x6x16xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_11: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_10: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_9: "0x040000006F36D7BD8F25B83D8CF91D3E853CFDBC5BBDCD3D791F51BDD35EFBBDA578A5BC5A6CFF3DB75E833D1CC11EBE20EC343E6A77233E4E38B93DD15DB2BD2745AFBC",
      torch_tensor_16_32_torch.float32_1: "0x0400000038D2C8BD1E4F6A3D688411BE9EA50FBECBEAC63D7A23B7BC7421293EA89C7F3D01D9AF3DCECC40BD569018BB0A4F9CBD865A583C0973893DB7BB0F3E03A4E4BDC2AB023E903F9E3AD51B29BECD1328BC06F729BEECF507BE4129D53D3BE43B3DD6492C3ECC4947BD7DD0113E022D013E42DE33BEF287343EF26496BC19C988BDAE596A3D6EACFB3D8531DB3B01E9CEBDD5BAE3BA9C7603BE934980BDCB860C3EBFE24DBD63C40BBEF4858D3DD87EEABD86DB953DDDDC8A3D9EF0AEBDE39FAABCD777983D2F5989BD942917BEDDB8F6BD6F4C0F3E478BC23DB70E2FBECE88633D5DB391BDC568143E5A512CBE6387FFBDB81218BEBA6C01BCE1E898BDB1734CBCADA459BD744C793C34F3C3BDC8B98D3CD5B53E3DC713823CF1D450BD6D4D293D253BFABCB11EABBD6648C0BC677EE8BD16F665BC8B2A83BD82F52F3DB1C2433D4CCFF3BCACDE913D5447983DA489703DDABA4ABD44D9923D15CFC4BDE63622BD7A3911BE728B95BD8D272C3EA91790BDCCEE31BE0F2A01BD6D3F2E3E77D6953CE8590FBE2C7A30BE231D013E3250B4BD36B331BEA5D583BDE3AAC43D7F44F1BC747A153DB06C143EE48760BD2F03A8BC2D68DFBDE506103EDBE8983C3CFFE1BDEEDBE63DA8B4233E5C4E1A3EA5CD893C9263FC3C75E0713D4B5C1EBEE9502E3EB33D383C956FB4BDC4360ABE32950DBEE93F0F3EA5F489BD223A4BBDD577B9BD9D45B83D29C51DBE0FF6053D68CD0ABE9442873D22B0AF3DAFF067BD06591FBE1C62C23B4E256FBA2D3E81BD8A816F3D18B414BE274C51BD045A213DC3EA293EA6D02BBD2D37B7BD7164093D39134A3B1F505B3D6C2EFD3C9C4FCD3D7675C73C136A963D530C433DE912AB3D55C0203D71D33A3D017424BE716410BEF869F6BDDA6B943C729B7ABB1EE718BE67B7C43D88EBDB3D16F1773C962217BED126D0BCE954283E730B2DBEAD55ED3D8D83DEBDFCBE1C3CB435E23D80D8A33DDD6914BE5655853D56261CBC672819BEA50A32BDF4F9E73D832103BEA2E580BD1636AE3D7E3C61BD17A207BED6A389BB8C689F3B34163A3D525517BECA5DC6BD91BA173E97D223BC2576913CE605C639E8EB2DBE19BD3FBD522807BED37AC6BD6853A0BD3FA0E8BDA65214BE6B03C1BD8E36BE3BDCA08ABD0D2E28BD4152273DDC7621BEDE568E3DF4E3DF3B38A542BDCB462E3DD5C9C23DFAFCDFBDA4E107BE49F827BEF7CB963D4CE0F43DF71C11BEACC3C53D856771BD2D6EECBC8C4A3FBD8EF80EBB3899033DEAEDB6BD2992B73DBBA817BE9FE6343E2C4DDD3C985FBFBD722B183ED9E88BBDFBA703BEBB99A63DB047A33CB4EAEEBC80BABD3D2A71333E031713BEB3A0443D87FE91BC6C9A853D67178D3D6FF64DBD64E8D13D885788BD9AC85EBDDC5FDA39937404BDA1EFEE3DC8415B3D5AC3C13D66DA803CF6AF393AC998233DF24BDDBD3AFD0ABE16E1063C77182FBE320FACBD0B17CB3C9D45123D995821BEA844ACBCB0DB7D3DE0B49A3DF9D7A53C9BB3243E0FE591BD02472E3E451F02BCAF94C3BC9DF2AFBC788D5ABB3596083DE19D13BE96F00FBEB5A3AABD27DF20BE53F715BEAC4EDEBDDDAEEE3C70AA82BCB361BC3C7F859A3D452100BC56B4C1BC99E32B3EC6D1233D922736BD935543BD159DEBBDF6FC203E10F60D3E92EB09BE067AEFBC047E16BEB53EEA3D43730C3E40BF203EBDCE063E5C2BC3BD3792873C46EE39BDF013E0BD171F313D6738B9BDB2A57ABDEFE7523C918603BD75E1353D49DD863D9CAA303EBBC6E1BBE8E0253EAAF41CBE40A9D93CEEB321BE2730E3BDD01648BC7EEAA03D602BF0BCE7E4303EF6E9BC3D9E42D1BD53DD0BBD7B6FCABD8F57D53CC718033EBC4CF6BDEC519ABD93928EBDD82A1C3E49A7113EF997B73AF68B18BDE028D33D4ADA953D9593043EBE5F15BE140BC43D09E2DE3CDA8DD9BC9AA61FBEAAAED13DBE6622BEDA1AEB3DC313043E7D56703DBFD071BD645C013E3FF601BE87BFFEBDE44054BD4145153E4E48D83D382D9E3D53F8C6BD7227CC3DF059C53D74499D3DCA393C3B39CCAE3DEA952BBC6B53CABDFA33D4BD9DE61EBDAC410BBCCBE5293EFF6D113E96FE273C271DC73DD06DB73CE3073E3B82BAC8BD0B739FBD488416BEFD15B93B35FEACBD9B262E3E23C7B33D99EB17BEC936DCBD74EA933DF86F0B3EE3FBD6BDB4D19B3C9AD824BE486406BD8EBD253EC50C043EAFA4303EE2E5EABD1D6D213E8DDF083DE846C6BC9E88C33BD5D82DBE40281EBD910755BD4AB1883D10923D3DDF8C24BD0A5AE0BC4E8E5FBD3292DF3DEE770B3E1509F8BDDA5117BE3435EFBDBC18123ED0EEF2BDD5F993BD1FEFDDBDF2FFBA3D3CA384BDA369DF3DDD8A233E072AF4BD140B2CBEDADBAF3CDA2E38BD6144AFBDB893B13B7DC7E2BD4E0814BE4F2C2EBEB543D2BC490307BE5C48A63D4FA726BD8FEEDFBD366303BE18EE873D563ACA3CF3DEE3BD38F0B93D6EFC5CBC13796F3D0744F83D704BD73BA387863A347C4F3D1552A8BD6F11D73DDAAA423C05862CBEA1BEF9BDC8EA21BEA29A14BE7C89D9BD839F17BE45AC783D22A38FBD5A4BF63DDED31FBE7895E9BDE28EFC3C83EFB93D985C023E68DD08BCCE41F8BD229E0EBDF06C33BE2787B8BB329DD3BD32F8E93D9436E8BD70AF2BBEC64C1A3D0AD6DE3DAC28E3BD1BEB303E27F375BDCD85AC3DE33808BE1F34D8BCDDF0EF3C173AF5BC6AFF1E3E3CDAB4BD0362323E63C30A3E12391BBEF27100BEAA0F83BD20A1543D637B0FBE31D48EBD6FDCC1BDC3EB6EBD847C5B3D01AFB43D8727CBBBD606443C3140313CA444CDBBE98586BDF43DDCBD987703BEE764513D1B0E6E3D2A40BC3D86F9FE3DA6A67A3D27F3273EBB6F29BEFD7C94BD29511C3DBD49EE3D20698B3D",
      torch_tensor_32_torch.float32_1: "0x04000000E423E4BD00E035B834BC90BD0CCC5EBEF8413BBD6840BE3D009FD4BB5AD21ABE50AA5B3E08245CBE844635BE44592ABE06AC11BE6037DFBDB88A76BE14CEB03DD478E0BDC80C0BBE8055923D8AC3393EE0CF46BDCCEA093EA2666BBEAA7E3BBEA6382ABED4AF8A3DA0F45A3D9A8348BE841CEFBD5E2359BEF865713D4A602C3E",
      torch_tensor_32_16_torch.float32_1: "0x04000000A0D60C3ED8C91ABE98C57A3E32A048BE00238BBD8076F0BBB085543EC023793D1430FF3D16830BBEC238373EA80411BED855143E38E969BE005E033E0064B13D00188FBDBC1F8BBDD05807BE1CEBC33D50B2EE3CD8FA11BD1C93473EF0C64F3E5ECF24BE60BDC2BC583D10BD8877BF3D80DB8D3BB0F494BC5EDF2F3ECC9007BE18DD73BD6049223DE8E283BD80B859BB7CEFCF3DA09E28BEFC7556BE2E7971BEA46AF4BD4ECB1FBE189310BE68EE6B3EC840803DFC58C4BD18F96ABD1CDEA4BD1257363E504B8CBD16BE793E70191DBDFCB027BE24C1D83DFC86B73D640A4D3E0A410C3E3082983D3C1E7EBEF4E7083EF6C05DBE20C4B3BC98E45F3E28447CBE3A99643E185EB63DB459DEBD5C77B7BD2CBF293E30D080BDB034223DECF82ABE3CFDA6BD44F9E73D0650223EE820D1BD0A2263BE78F710BE2475EBBDB8E5D1BD5436B03DFC38E93D90EB12BE3C1CD9BDC0BE95BB4E2D453EE870D4BDECF777BEDAFD6CBE7CAD2E3E0C50113E9080673D802677BBD053343D96536A3E52E97EBE64DC16BE20C1DCBD6ACA74BED61E43BE8008BCBD3E0671BE421708BE1ED51DBEF2E3583ED841523D56737FBE5840AABD9AAD47BE4017E23D4CC67DBEB018D43C4073FB3C98AB343E1834CCBD3C609FBDE06104BE045ED7BDF0A77A3D3482DBBD6063763CB8C1183D00782FBE38C63A3E28F6273E6E0D3C3E18591FBD008AAFBD78E215BE54D351BE3022F6BC8004373CC4D279BE4889E3BDC2F1333E080F7CBDFC0B55BE7E6843BE1CB97C3E7C1E9F3D6604153EFC5AF33D8032DDBD58A80FBE48A531BD0029EFBD0056C1BC22A721BE28C43EBD806B11BD5043F23C02E9333E8C59F7BD3CE7D83DE884B7BD4CE39C3D8A1E783E067D453E007BE23D2C88D73D722C3C3EB0FF1E3D7CE248BE00AAF2BAD4033CBEAC578ABD94B27CBE1C99C63DE86C4F3E804979BDD28B08BE8C6C16BED0B7213EC039453C209B0F3CF0E490BDD6FE72BE94B9F2BDF4B7933D2C5683BDC8FF573E5C40FFBD22F00ABE007E75BE043415BEA8CFA23D3E70713EACEABF3DF8BE0BBEF20A0C3E887249BDD8E064BE0094E73900527E3CC09047BDCCB02DBE7043AABC944E3FBE0011DE3CD053663EBAEB1EBEC87841BD84C004BE003ED33A3291323E7098D63C142F68BE34B61EBE68A872BD709470BE28AE51BD7279363E4089ECBC509334BDE0684D3E30E750BD3852243D6EEC1C3EA83F68BE30F0033E90923F3E74F8263EF8C0DDBDB080ACBC3C9D143EDC58B3BD78DE59BD669B17BE543D383EA6E01E3E1E5C11BEAEB405BE3AFC5DBE009A97BAC8C01A3DA8B057BEDA5F283ED8452ABE882EA93DE2BB6F3EBEA6443EAA4243BEB4CA74BE08ACF6BD9806543D4EA77F3EC8B17FBD0A7964BE50F8333D60FFD5BC004979BB340F7ABE723A283E244396BD40F1FEBC90AAACBD8831703D4AA55F3E149EEBBD60E6393C2810663D0EBA543E98ED793E6AA3363EF26038BE7E4C043EE060D83C30182FBEE4EC843DC85AD13DE09C513E684DE0BD687711BE840D71BEE8367FBDBC96F03D8CE1653EAAD36F3EF8D3773E0466A13D60F2DFBC16EA00BE2CCB16BE1673613EC0E738BEB4200B3E74F4DE3D108E243DC8E7413E18DE5BBEE45436BEB2013E3E04ED783E1CBCCBBDD03BED3C98A671BD903554BEBC97E33DDC0081BDAE2C3EBED05677BDF4518F3D5842C33D34D443BEF6FA7FBE5079EA3CBA1D413E723C363E6A8262BEAA3A033EA46B583ECAAE1E3EBC1A223E00B45FBB64D882BD321B723EACD87DBEA83D6E3E9A7455BE5042573E721E273E542E6A3EB01AEBBD94CA4A3E42FD073E6C80C23D002840BC3097EC3D00D108BBB837823D160A29BEFC49A3BDF2DB313E544B97BDF83EC93DD0C80DBD10A6A6BC3892A53DB8834BBEC674613E882C3F3D921921BE382172BE947D753E5CE44DBE801FE93D6823403D422E633E58CF9CBDC05B95BBB0157F3E843E423E00F9E0BC60F834BC6CD049BE00D40BBA321162BEA0A337BE68851BBD2093413CB82AF6BD80F4503B58FAD73D5CA38A3DD0F637BE1666203E32A814BE52440D3EB4531ABE30446B3DF80B04BDE8960ABE36486A3E5422403ED8031ABD00DF293D7472433E00CAA53C9CF263BE7A17443EC05D7F3C0086FABBB01398BDEC486FBE208FB03DB2ED2C3E383A15BE52115B3E40DB173DC01FFEBB4A3761BE7456C8BD9030E83D9CC85CBE16C43EBEF0FE583EC08404BC305B4A3E105656BEE6E734BECA58193ECC70183E7C1519BE1891453DB471BABDF4C096BD46DA0C3EA6367B3E907AD7BCB228523ECC3A7FBEE47ADDBDE8A799BD0446CBBDC876503EF8FEE4BD6878B9BD30F2633ED80D53BDF02737BE7C393BBE30CE48BDBEAB6ABEC015A13C2CF684BD5AAD70BE5A484B3E56344DBE4C9427BE22C35CBE206A3ABCF44FCFBD146C08BEC041DCBC3077E2BCC0CFF83BB6F256BE503261BE743B043E9618193E0C21F73D343563BE00A495BDC4F06C3EAAC862BE2C29B33D924D563E66993CBEC6F738BEFCA8343E52B65F3E3430A8BD6A927D3E2E12233EB24C4ABE14A53F3E78D67ABE1CD4093EB0EE133E9411C33DB2E419BE488F0F3D9071183D587343BEF408BE3D2AC2693EB456F63D9C886B3E60B4483C48D95A3D40298B3B469802BE48CFF53DAE7B21BE0C34543E80CFF63BDA9147BE747F633EB812223EC81078BD305B6B3D4C31383E98F9AB3DFA0D6E3EEEF3613E92AC123E4AB5423EEC019D3D045CAB3D3CDF9D3D74843B3E0A59363EBA89453EAC7085BDE21463BE4C885E3EFAAC6F3EDE614C3E8CC6FD3D487889BDF0A277BEF4EF4BBE047BCB3D806659BE009ABC3A00C70D3DB82CC8BD00A027BC78A870BDC09D48BC48CB7ABE0641513E",
      torch_tensor_16_torch.float32_8: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_7: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_6: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_16_torch.float32_1: "0x04000000D624503EB8BC193D40CABF3CF821563EB0AB8E3C90AB963D0CC6BABD0060F4B8FC2EA5BD10629F3CC60D24BEA43A7FBE30A6773DD6C447BEACB3523EB852CFBD1635093EE25A76BE887C11BE4854E1BD50F3983C48AFF93D50E0213D484001BDDEB65F3E88FA97BDD877FEBD105959BE9EE53B3E54143CBEBC7749BED835F53D828170BE947DEBBD42163B3E00F6443B700411BD9800383D10C79EBCC034B23D86B74BBE78A1C43D18DED93D504F813D849FA93DD2593F3E1CC3ED3D90E3553E80D65A3B40216ABCDC1F8A3D8042013B7015E63C40BA9D3B0864B0BDB02AC5BC80CD6FBBC4E6E43DC47641BEFC77D13D2000DABD4ACC5C3E0080C537E45012BEB8ACB3BDB4BADC3D98FF98BD689DEE3D3EF32CBE78F0AABDF01321BE20FF6A3D284D56BE4C656B3EC88E533E9E52303E48273F3E2037E63CEC10453E10EC4BBE0AAC713E3E8C0E3E9ED7413E2CEBC53D1EC430BE289A51BD3CF4843DDE78213E8075393CB0BB2F3EBC2798BD9EB80EBE52960F3EF018403E121C3FBEF8B31EBEB225403E74AAE8BD508DA6BCACCBD4BD3874ECBD2025D43DA0728DBDB462C2BDC0D4FB3BFE78173EA4CD92BDE4BC2D3EEEBF57BE48324D3E40C05ABC7031203E200CD6BC408AD6BD40844E3ECC5553BEF03382BD0CD400BEF26B4C3EDCB32ABE38DC183E16C31ABE083B01BE028B6ABEDA3B1EBE8C6CDEBDE029D3BD924A0B3E684B503EE0192DBE2CC6543E40F3D03BB04D843C1CA94CBE40EE943DE4984B3E88877F3D3A0B48BE6AE034BE0CF86EBE507D283E14352CBEF852D2BDF037B9BD0020A03A5418B83D54FAA9BD04D77E3EDCF6B63D2CC6283E681FE0BDFC0702BE2072203EF6F4333E80B67E3BE0A56DBCA27C7B3EE81BA1BDC031453CDABD683E3CAB4C3E18A6953D944C79BE10A61ABD1853423D3C72453EB02BC3BCF01C9F3C7CC2F0BD849A463EF26D563E68DF1E3E90C56EBD30ED8E3DE2B963BE00E80ABB48649BBD9AA3193EC059763CCC62243E00D1CDBD6CF0D73D360525BEE0BDF63D42B629BE320E493EE45BFCBD7CC33FBE82A4783E70E401BD0C5052BE1656003E72BC0BBE7E70743EF000043ED41B37BEA05B06BEE8767A3D4A2503BE8ADF3FBEE811743E88DF2CBD32971ABEA0AF993D5C6B843D2CB1B5BD003465BAE077953C90CD7B3EF4F430BE564D4EBE48C44ABDA4DFFD3D700C943DA60163BE76B00EBEE8429F3D70FDD6BC365E2F3E30D63F3D30AFF13D48A2EABD4CB8ABBD64F6C3BDA8B57ABDCCFBF3BD00487E3AC0819BBBD2FD48BE8E1C4ABE00362CBBEA556B3E782A563D80F1BDBC800E5C3D0068DA3A24D6CF3DDACF423E1E67473EA6F91FBE00AC963A407168BC607E01BC60A0F6BC006E813C48E04C3EDAB538BEC4A2BFBD724F4C3E288213BDDC42B8BD523C35BE52DF4EBE38AA8F3D280DDC3D6E48653E",
      torch_tensor_48_torch.float32_1: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_48_16_torch.float32_1: "0x04000000AB51663BBC82DE3DC1B4943E4E6C97BE889909BE973289BE0C347EBE2F08883E2DF2123E51306BBE1B4993BE0F4C9C3E4EE7DFBD08101DBD459412BD038B67BDCBBA2B3DB8A045BE78BF883EA386E0BDA62D97BEE6D7C2BD2AB58A3EE2AB6A3E67013BBE82A94BBED84D8B3E454897BC927C933DFA559D3DA653FC3C380A2E3ECB79413E71C8873E49DD13BE9800183D6EBBE73CFF3BF8BD9C4885BDABF854BE9882EDBD9793DA3DB8FD8CBE86BE41BE3E2DB53C9A1228BEF10E1F3D22597E3EE75310BEF5EDB2BD84D4FE3D9D1512BE62AC92BED53DAF3D6AD60B3DC02E90BD99CB4A3D736BA33C09401EBD639D88BE76815B3EDE3E9A3D201A653CCCBE66BE6C4F9EBDE3D352BE0590803E012D1BBE4582EFBDEE2CA5BD381E2BBC460290BE473592BC879992BE5DADD0BD964585BE446ED9BD022075BED67898BE7CEAB33D294771BEAD32483CBD7880BE47C30CBE5FD33FBD1C8C903ED43601BDCCCE223DAC2A8ABD1178173E211787BE7826313B4439913D81E9903EA99056BD119D2C3EE6A0293E39D75E3EB87C1F3E932CD0BDB2308ABE7C5A0B3E40B5D83D9CCF23BE261FB6BDE2F568BEB7BD06BDB0D0343E0D40DB3D93FA553EFA5F9ABE7659D7BD3AFE083EABF209BE74E697BE5D9A8B3C42A255BDF431EF3CC979403D5401213E2CB0913E62A691BD5F3E69BE2996CF3D202928BE0A6B8BBE04E954BE9A0987BE46401FBDBC728FBDF1342E3D40E8983E59AC7A3C2C2C4F3EFE8E363E1204373E1AC506BE22C297BB1F324ABD33FD9B3E7DDA363E0C7C313CFCD544BC363B8E3E07F1153E7B496EBE194EF8BC14ECC5BD6827043ECCE193BEEA5D14BE050956BE8EFFB1BCA154503E652D96BDDC70943EDD8C70BEDA0A2E3EFD82923DB2BA543EF4760DBEB3E2863E66EC94BE9128533B919C2B3E869A6CBEBE0B803E640E153EED8CE93D64B1B4BCCE503F3E17ACCBBD0B46633E898F99BD1891733EB8688CBE42E43D3E1D6D25BE3AB8243E7F88B43D90E55BBCE0A6343E877A88BE57C18ABEC39017BD247C983D2C3E8C3B2C25A63DF7C9D13DE13158BDCFA1293E39C3823EA1BABF3DD913823E00C53CBECE54F93CB70701BD3753453BF8DD83BEB40AB5BD4C62303ED03D30BED31E8ABE3A3B3BBEDAB536BD5A20423E8A4E7EBCDB2FCF3DFDD826BE6A6699BDC115A3BDB216293E3EBFAC3C7543A7BDF01CB1BD43976FBE137A743E38E35EBDFE2010BE50F8063EFB1C283E5E7C95BE427E7EBE323CB2BDA61553BE95E805BE8B872A3EC133713EC8E2303EB566973E77B57B3D43F9073E14BAB0BACFD212BE453F493E3BD685BED27CF3BDE769923EDD220A3E2C8D773EDE3A353D24CB9E3D2088363E0F9AC1BBC669BDBDE849133E6A4553BE46F695BE1F7131BE90B5B83C39257C3D509E02BEC3C1313EB89B4DBED32A883E8047D43D034BD53D079729BD945E21BE942586BE65190EBE1B99B0BD0B87D5BC6D339CBE861B543C234E2EBEA7CA873EFDF05F3E6B8B8DBE6B49403E3348393E52B746BE10217D3DD293133E3DF789BECDAE543EAB4B463E087994BEFB5C6A3EFF943FBEF4D74D3D00A130BE5DD2C93DC9F3A03C9795A3BD1E436ABE9D6EB5BC67E12E3D63D3833CE895BF3CC4B7873E63DBB9BD9E5A973EEB4A6BBE1ACB4F3E4C2433BE2DCD97BDCF4C4CBE8FF1233A7C7A933DF072473E24DF0B3E033C13BE5D542A3D778F8EBE7FF3B1BDE99E11BEBD804EBCE79A593E5AFA203E97BED6BD96CDF4BB18572FBD22864ABDF876CDBD75D0173E2559563EC8F495BE752E78BE705F643EF8DF4BBD2306FF3DA121993E5EB89A3DDD5E853D4D06973EC59F23BD509F413EE295B9BDFD2FE6BD51F6DC3D3E2810BDF10E3A3BB16175BE598881BEA10C9BBE5953983EEC7488BEEF825BBD26998EBDE39A86BE811099BE5C3D99BE4DC9F8BD52A61ABE9F255B3DED5F4FBE134C4E3CBC56ED3D20DA66BE06DA74BD169EDBBDB01C183E436682BE972F083BA7C051BE8B4A6EBEF2770C3E9E010FBEC80EED3DBA108C3EAEE576BE421875BECB50EC3D982B003EB494F73C0A917B3E67480CBEC6472A3EC643883EAAAC8CBEFC3B94BE7A614B3E3A22F5BD2F082D3E61D58F3EB821963CE72894BE2E9984BE2ABE48BEF038B73D0F1F9A3EE76CCD3DB1A219BEEBAC70BEAF119A3BC3DD063ECAD0583EA6856C3EBDAF06BE1FB254BE38194F3D79AEE53C8E5E13BEC9A7CBBD3379EF3D0885483ED80087BE3E9F503E7097113BBC193C3E64F69B3EEBE6243EBF3F30BEFAA552BD5F901A3E0576B53D4B8B083C06D5793EE34663BEA4EE503D5E3FA43DAC71AB3DAB08273D824C0FBEB58F303E029C57BE2A3B4B3E245586BE4985973E0EB288BE8409323ED78D923D8AA88F3EAF73173E26E248BE69B8773D7453983E1E883EBDCFA59BBEC4667ABD65C35D3EDA3F823EB73912BD1BAC2CBEC93962BE61069E3D48AC1ABE07EE8BBDF53DB4BDF9B72EBE2A772BBE6E71EFBDBF0F233C00A60F3DA60B323D59BB8E3CECB78EBE5D6B3C3E9F4F9FBC251143BEB2CC903EE63129BEDF93023E72C333BDDC80CFBD90930F3EB76939BE17A956BE8926603E81FF42BE3E433CBD76D688BD48433DBE34E782BE5FBBEBBD9DF3003E01D9943E07DD9BBE665E8A3DAF56E4BDFBBD743E0E35A23DE019C4BD1CB61E3D1E8D03BDF66687BD6BE27D3EB562133E76DE90BD08BE373E5C49BD3DF290813E4D21E3BCAECC4A3ED69F503E651DAD3A30E99B3E94E698BDFFAA173E3E9189BE88E6303E84E01FBEB00A963EBECE883E6DAA663E373642BC205A84BEEECF613EA3A191BD437481BE7902213EC05190BD3BBFC23CD6353BBDEB8A7C3C204C413E42B6C03D86D109BEE2F85E3D82508B3E8B00383EAE8FB13D330F673CAA71973D7A47873EC77E883D5C79FDBCDDE5803D2D8C5B3E6DB6CD3C670C773E6391053DFFE1DC3D3E3EB0BD75FC25BE14AA303E233B213E625E813D6BFF74BD5A8D8DBE3BE8833E8206983E1D224CBE75566E3E8D1B9BBD77C786BE40B387BE9A665FBE73562E3E6C815DBD828E903D33AC5BBE247B3D3E838E4A3E848E663E422CEA3DDBC378BE68C4A03CCDB49B3E795A9A3EA39881BE3DB7943EB445263C6CC581BE28971D3E7404663E67429BBE56D868BE33D485BE21407C3E0E3295BD6ACFFBBD5876643EF93F883E93AF65BEF681063ED36D3EBEC02194BEC2D999BE807714BE9A88873EA65A843E26EE7F3D740D9ABE5880B0BD289059BE6C1B87BE59B6863D33367EBE6A4FA1BC0CE4BABB962C963EC965533E8E8DB13D9DED01BE326159BC9669103EFCC2873E9992DC3D669FC13D524E07BE27CE363D6A46713D258670BEDAC42EBC3C39063E1D043D3E98281E3ED8F151BE8316283E8E7C383E6E3DF83D03BA033E469370BEFFBD54BE280383BE06F759BEF392BE3C5F6EF33DF8B4333E5BBCF9BD2E15A1BD403E2BBD77967FBD8A9350BE1CE9873EBAE92C3EB0EA6E3E64BCACBD81194CBED2DE8CBE18CB3E3EE12A7B3D9F9E72BE1FF4193E286A6D3D36E3AFBD02E3EFBCADFC8BBE0464583E06E193BE71BF0A3B830E38BE40D898BE06AE63BE52A13D3EEC9C633E3C999B3E2A2466BEC5834E3E5317D13CEE8F81BD0655AB3CBE393D3E8E25553EBBC1943EAA70A43D47020E3E5BF48EBEEDBC583D64AF01BD56ACF9BDB229B6BDA35CE6BD2CAB51BD13BCA53D18EF2CBEC728963EF7A7C63DCE13223E0A5689BED841E8BDAA1A573E101C8DBE70DFA1BD378F693E1D49613EDCE3A73D26254CBE1FF41DBE48A8E83DB0710C3DD7D092BDBEF770BE43D00F3E2BC1843E2A7771BECA2C813E1A13FABC56DA3B3D372F8BBDCE7529BE4815853E267A28BE2428933EB7E0973DCC48923E05C589BD39A70ABE8ED3943E6DAE6ABE4903CB3C2C3B75BEE1DD58BE74FC7EBE9004993E0E7B853EC27005BE3549DE3D715DD1BDE0641D3E22F6973ECE3C813EB5FCBD3DA4733ABEE4F3313E2BD2953D59C1793D30686FBD9AFC543E3CF36F3D0976F83D8351273E8E480A3E066BCB3D4CC18E3E7ACEE23C9C1F89BE1BC910BEB82267BE2E5AA23D388449BE630793BE9C19CE3D1A9785BE6DAF743DC901893C07D0C5BDB3E1333ED26F20BDD5ED9C3D5162023E6C1E6BBE4C9798BD99E1553DA78899BE200C47BD0DA6CC3D81589BBE598D68BEE281633E58C88D3E0B87BA3C2327CA3C2FC92F3DE04802BE5CF01BBE3C830B3EB383C2BDF79BFABD0BD0D6BDA0FEB43D42AE2BBE4579973EC3322F3E4F16073E0123FABD15879ABEC8D662BE102389BD1F382E3D07110C3EA39090BE38AA743DF2D30E3EC7320E3ECE4C123E",
      torch_tensor_16_torch.float32_5: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_4: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_3: "0x040000006F36D7BD8F25B83D8CF91D3E853CFDBC5BBDCD3D791F51BDD35EFBBDA578A5BC5A6CFF3DB75E833D1CC11EBE20EC343E6A77233E4E38B93DD15DB2BD2745AFBC",
      torch_tensor_16_32_torch.float32: "0x0400000038D2C8BD1E4F6A3D688411BE9EA50FBECBEAC63D7A23B7BC7421293EA89C7F3D01D9AF3DCECC40BD569018BB0A4F9CBD865A583C0973893DB7BB0F3E03A4E4BDC2AB023E903F9E3AD51B29BECD1328BC06F729BEECF507BE4129D53D3BE43B3DD6492C3ECC4947BD7DD0113E022D013E42DE33BEF287343EF26496BC19C988BDAE596A3D6EACFB3D8531DB3B01E9CEBDD5BAE3BA9C7603BE934980BDCB860C3EBFE24DBD63C40BBEF4858D3DD87EEABD86DB953DDDDC8A3D9EF0AEBDE39FAABCD777983D2F5989BD942917BEDDB8F6BD6F4C0F3E478BC23DB70E2FBECE88633D5DB391BDC568143E5A512CBE6387FFBDB81218BEBA6C01BCE1E898BDB1734CBCADA459BD744C793C34F3C3BDC8B98D3CD5B53E3DC713823CF1D450BD6D4D293D253BFABCB11EABBD6648C0BC677EE8BD16F665BC8B2A83BD82F52F3DB1C2433D4CCFF3BCACDE913D5447983DA489703DDABA4ABD44D9923D15CFC4BDE63622BD7A3911BE728B95BD8D272C3EA91790BDCCEE31BE0F2A01BD6D3F2E3E77D6953CE8590FBE2C7A30BE231D013E3250B4BD36B331BEA5D583BDE3AAC43D7F44F1BC747A153DB06C143EE48760BD2F03A8BC2D68DFBDE506103EDBE8983C3CFFE1BDEEDBE63DA8B4233E5C4E1A3EA5CD893C9263FC3C75E0713D4B5C1EBEE9502E3EB33D383C956FB4BDC4360ABE32950DBEE93F0F3EA5F489BD223A4BBDD577B9BD9D45B83D29C51DBE0FF6053D68CD0ABE9442873D22B0AF3DAFF067BD06591FBE1C62C23B4E256FBA2D3E81BD8A816F3D18B414BE274C51BD045A213DC3EA293EA6D02BBD2D37B7BD7164093D39134A3B1F505B3D6C2EFD3C9C4FCD3D7675C73C136A963D530C433DE912AB3D55C0203D71D33A3D017424BE716410BEF869F6BDDA6B943C729B7ABB1EE718BE67B7C43D88EBDB3D16F1773C962217BED126D0BCE954283E730B2DBEAD55ED3D8D83DEBDFCBE1C3CB435E23D80D8A33DDD6914BE5655853D56261CBC672819BEA50A32BDF4F9E73D832103BEA2E580BD1636AE3D7E3C61BD17A207BED6A389BB8C689F3B34163A3D525517BECA5DC6BD91BA173E97D223BC2576913CE605C639E8EB2DBE19BD3FBD522807BED37AC6BD6853A0BD3FA0E8BDA65214BE6B03C1BD8E36BE3BDCA08ABD0D2E28BD4152273DDC7621BEDE568E3DF4E3DF3B38A542BDCB462E3DD5C9C23DFAFCDFBDA4E107BE49F827BEF7CB963D4CE0F43DF71C11BEACC3C53D856771BD2D6EECBC8C4A3FBD8EF80EBB3899033DEAEDB6BD2992B73DBBA817BE9FE6343E2C4DDD3C985FBFBD722B183ED9E88BBDFBA703BEBB99A63DB047A33CB4EAEEBC80BABD3D2A71333E031713BEB3A0443D87FE91BC6C9A853D67178D3D6FF64DBD64E8D13D885788BD9AC85EBDDC5FDA39937404BDA1EFEE3DC8415B3D5AC3C13D66DA803CF6AF393AC998233DF24BDDBD3AFD0ABE16E1063C77182FBE320FACBD0B17CB3C9D45123D995821BEA844ACBCB0DB7D3DE0B49A3DF9D7A53C9BB3243E0FE591BD02472E3E451F02BCAF94C3BC9DF2AFBC788D5ABB3596083DE19D13BE96F00FBEB5A3AABD27DF20BE53F715BEAC4EDEBDDDAEEE3C70AA82BCB361BC3C7F859A3D452100BC56B4C1BC99E32B3EC6D1233D922736BD935543BD159DEBBDF6FC203E10F60D3E92EB09BE067AEFBC047E16BEB53EEA3D43730C3E40BF203EBDCE063E5C2BC3BD3792873C46EE39BDF013E0BD171F313D6738B9BDB2A57ABDEFE7523C918603BD75E1353D49DD863D9CAA303EBBC6E1BBE8E0253EAAF41CBE40A9D93CEEB321BE2730E3BDD01648BC7EEAA03D602BF0BCE7E4303EF6E9BC3D9E42D1BD53DD0BBD7B6FCABD8F57D53CC718033EBC4CF6BDEC519ABD93928EBDD82A1C3E49A7113EF997B73AF68B18BDE028D33D4ADA953D9593043EBE5F15BE140BC43D09E2DE3CDA8DD9BC9AA61FBEAAAED13DBE6622BEDA1AEB3DC313043E7D56703DBFD071BD645C013E3FF601BE87BFFEBDE44054BD4145153E4E48D83D382D9E3D53F8C6BD7227CC3DF059C53D74499D3DCA393C3B39CCAE3DEA952BBC6B53CABDFA33D4BD9DE61EBDAC410BBCCBE5293EFF6D113E96FE273C271DC73DD06DB73CE3073E3B82BAC8BD0B739FBD488416BEFD15B93B35FEACBD9B262E3E23C7B33D99EB17BEC936DCBD74EA933DF86F0B3EE3FBD6BDB4D19B3C9AD824BE486406BD8EBD253EC50C043EAFA4303EE2E5EABD1D6D213E8DDF083DE846C6BC9E88C33BD5D82DBE40281EBD910755BD4AB1883D10923D3DDF8C24BD0A5AE0BC4E8E5FBD3292DF3DEE770B3E1509F8BDDA5117BE3435EFBDBC18123ED0EEF2BDD5F993BD1FEFDDBDF2FFBA3D3CA384BDA369DF3DDD8A233E072AF4BD140B2CBEDADBAF3CDA2E38BD6144AFBDB893B13B7DC7E2BD4E0814BE4F2C2EBEB543D2BC490307BE5C48A63D4FA726BD8FEEDFBD366303BE18EE873D563ACA3CF3DEE3BD38F0B93D6EFC5CBC13796F3D0744F83D704BD73BA387863A347C4F3D1552A8BD6F11D73DDAAA423C05862CBEA1BEF9BDC8EA21BEA29A14BE7C89D9BD839F17BE45AC783D22A38FBD5A4BF63DDED31FBE7895E9BDE28EFC3C83EFB93D985C023E68DD08BCCE41F8BD229E0EBDF06C33BE2787B8BB329DD3BD32F8E93D9436E8BD70AF2BBEC64C1A3D0AD6DE3DAC28E3BD1BEB303E27F375BDCD85AC3DE33808BE1F34D8BCDDF0EF3C173AF5BC6AFF1E3E3CDAB4BD0362323E63C30A3E12391BBEF27100BEAA0F83BD20A1543D637B0FBE31D48EBD6FDCC1BDC3EB6EBD847C5B3D01AFB43D8727CBBBD606443C3140313CA444CDBBE98586BDF43DDCBD987703BEE764513D1B0E6E3D2A40BC3D86F9FE3DA6A67A3D27F3273EBB6F29BEFD7C94BD29511C3DBD49EE3D20698B3D",
      torch_tensor_32_torch.float32: "0x04000000E423E4BD00E035B834BC90BD0CCC5EBEF8413BBD6840BE3D009FD4BB5AD21ABE50AA5B3E08245CBE844635BE44592ABE06AC11BE6037DFBDB88A76BE14CEB03DD478E0BDC80C0BBE8055923D8AC3393EE0CF46BDCCEA093EA2666BBEAA7E3BBEA6382ABED4AF8A3DA0F45A3D9A8348BE841CEFBD5E2359BEF865713D4A602C3E",
      torch_tensor_32_16_torch.float32: "0x04000000A0D60C3ED8C91ABE98C57A3E32A048BE00238BBD8076F0BBB085543EC023793D1430FF3D16830BBEC238373EA80411BED855143E38E969BE005E033E0064B13D00188FBDBC1F8BBDD05807BE1CEBC33D50B2EE3CD8FA11BD1C93473EF0C64F3E5ECF24BE60BDC2BC583D10BD8877BF3D80DB8D3BB0F494BC5EDF2F3ECC9007BE18DD73BD6049223DE8E283BD80B859BB7CEFCF3DA09E28BEFC7556BE2E7971BEA46AF4BD4ECB1FBE189310BE68EE6B3EC840803DFC58C4BD18F96ABD1CDEA4BD1257363E504B8CBD16BE793E70191DBDFCB027BE24C1D83DFC86B73D640A4D3E0A410C3E3082983D3C1E7EBEF4E7083EF6C05DBE20C4B3BC98E45F3E28447CBE3A99643E185EB63DB459DEBD5C77B7BD2CBF293E30D080BDB034223DECF82ABE3CFDA6BD44F9E73D0650223EE820D1BD0A2263BE78F710BE2475EBBDB8E5D1BD5436B03DFC38E93D90EB12BE3C1CD9BDC0BE95BB4E2D453EE870D4BDECF777BEDAFD6CBE7CAD2E3E0C50113E9080673D802677BBD053343D96536A3E52E97EBE64DC16BE20C1DCBD6ACA74BED61E43BE8008BCBD3E0671BE421708BE1ED51DBEF2E3583ED841523D56737FBE5840AABD9AAD47BE4017E23D4CC67DBEB018D43C4073FB3C98AB343E1834CCBD3C609FBDE06104BE045ED7BDF0A77A3D3482DBBD6063763CB8C1183D00782FBE38C63A3E28F6273E6E0D3C3E18591FBD008AAFBD78E215BE54D351BE3022F6BC8004373CC4D279BE4889E3BDC2F1333E080F7CBDFC0B55BE7E6843BE1CB97C3E7C1E9F3D6604153EFC5AF33D8032DDBD58A80FBE48A531BD0029EFBD0056C1BC22A721BE28C43EBD806B11BD5043F23C02E9333E8C59F7BD3CE7D83DE884B7BD4CE39C3D8A1E783E067D453E007BE23D2C88D73D722C3C3EB0FF1E3D7CE248BE00AAF2BAD4033CBEAC578ABD94B27CBE1C99C63DE86C4F3E804979BDD28B08BE8C6C16BED0B7213EC039453C209B0F3CF0E490BDD6FE72BE94B9F2BDF4B7933D2C5683BDC8FF573E5C40FFBD22F00ABE007E75BE043415BEA8CFA23D3E70713EACEABF3DF8BE0BBEF20A0C3E887249BDD8E064BE0094E73900527E3CC09047BDCCB02DBE7043AABC944E3FBE0011DE3CD053663EBAEB1EBEC87841BD84C004BE003ED33A3291323E7098D63C142F68BE34B61EBE68A872BD709470BE28AE51BD7279363E4089ECBC509334BDE0684D3E30E750BD3852243D6EEC1C3EA83F68BE30F0033E90923F3E74F8263EF8C0DDBDB080ACBC3C9D143EDC58B3BD78DE59BD669B17BE543D383EA6E01E3E1E5C11BEAEB405BE3AFC5DBE009A97BAC8C01A3DA8B057BEDA5F283ED8452ABE882EA93DE2BB6F3EBEA6443EAA4243BEB4CA74BE08ACF6BD9806543D4EA77F3EC8B17FBD0A7964BE50F8333D60FFD5BC004979BB340F7ABE723A283E244396BD40F1FEBC90AAACBD8831703D4AA55F3E149EEBBD60E6393C2810663D0EBA543E98ED793E6AA3363EF26038BE7E4C043EE060D83C30182FBEE4EC843DC85AD13DE09C513E684DE0BD687711BE840D71BEE8367FBDBC96F03D8CE1653EAAD36F3EF8D3773E0466A13D60F2DFBC16EA00BE2CCB16BE1673613EC0E738BEB4200B3E74F4DE3D108E243DC8E7413E18DE5BBEE45436BEB2013E3E04ED783E1CBCCBBDD03BED3C98A671BD903554BEBC97E33DDC0081BDAE2C3EBED05677BDF4518F3D5842C33D34D443BEF6FA7FBE5079EA3CBA1D413E723C363E6A8262BEAA3A033EA46B583ECAAE1E3EBC1A223E00B45FBB64D882BD321B723EACD87DBEA83D6E3E9A7455BE5042573E721E273E542E6A3EB01AEBBD94CA4A3E42FD073E6C80C23D002840BC3097EC3D00D108BBB837823D160A29BEFC49A3BDF2DB313E544B97BDF83EC93DD0C80DBD10A6A6BC3892A53DB8834BBEC674613E882C3F3D921921BE382172BE947D753E5CE44DBE801FE93D6823403D422E633E58CF9CBDC05B95BBB0157F3E843E423E00F9E0BC60F834BC6CD049BE00D40BBA321162BEA0A337BE68851BBD2093413CB82AF6BD80F4503B58FAD73D5CA38A3DD0F637BE1666203E32A814BE52440D3EB4531ABE30446B3DF80B04BDE8960ABE36486A3E5422403ED8031ABD00DF293D7472433E00CAA53C9CF263BE7A17443EC05D7F3C0086FABBB01398BDEC486FBE208FB03DB2ED2C3E383A15BE52115B3E40DB173DC01FFEBB4A3761BE7456C8BD9030E83D9CC85CBE16C43EBEF0FE583EC08404BC305B4A3E105656BEE6E734BECA58193ECC70183E7C1519BE1891453DB471BABDF4C096BD46DA0C3EA6367B3E907AD7BCB228523ECC3A7FBEE47ADDBDE8A799BD0446CBBDC876503EF8FEE4BD6878B9BD30F2633ED80D53BDF02737BE7C393BBE30CE48BDBEAB6ABEC015A13C2CF684BD5AAD70BE5A484B3E56344DBE4C9427BE22C35CBE206A3ABCF44FCFBD146C08BEC041DCBC3077E2BCC0CFF83BB6F256BE503261BE743B043E9618193E0C21F73D343563BE00A495BDC4F06C3EAAC862BE2C29B33D924D563E66993CBEC6F738BEFCA8343E52B65F3E3430A8BD6A927D3E2E12233EB24C4ABE14A53F3E78D67ABE1CD4093EB0EE133E9411C33DB2E419BE488F0F3D9071183D587343BEF408BE3D2AC2693EB456F63D9C886B3E60B4483C48D95A3D40298B3B469802BE48CFF53DAE7B21BE0C34543E80CFF63BDA9147BE747F633EB812223EC81078BD305B6B3D4C31383E98F9AB3DFA0D6E3EEEF3613E92AC123E4AB5423EEC019D3D045CAB3D3CDF9D3D74843B3E0A59363EBA89453EAC7085BDE21463BE4C885E3EFAAC6F3EDE614C3E8CC6FD3D487889BDF0A277BEF4EF4BBE047BCB3D806659BE009ABC3A00C70D3DB82CC8BD00A027BC78A870BDC09D48BC48CB7ABE0641513E",
      torch_tensor_16_torch.float32_2: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_16_torch.float32: "0x04000000D624503EB8BC193D40CABF3CF821563EB0AB8E3C90AB963D0CC6BABD0060F4B8FC2EA5BD10629F3CC60D24BEA43A7FBE30A6773DD6C447BEACB3523EB852CFBD1635093EE25A76BE887C11BE4854E1BD50F3983C48AFF93D50E0213D484001BDDEB65F3E88FA97BDD877FEBD105959BE9EE53B3E54143CBEBC7749BED835F53D828170BE947DEBBD42163B3E00F6443B700411BD9800383D10C79EBCC034B23D86B74BBE78A1C43D18DED93D504F813D849FA93DD2593F3E1CC3ED3D90E3553E80D65A3B40216ABCDC1F8A3D8042013B7015E63C40BA9D3B0864B0BDB02AC5BC80CD6FBBC4E6E43DC47641BEFC77D13D2000DABD4ACC5C3E0080C537E45012BEB8ACB3BDB4BADC3D98FF98BD689DEE3D3EF32CBE78F0AABDF01321BE20FF6A3D284D56BE4C656B3EC88E533E9E52303E48273F3E2037E63CEC10453E10EC4BBE0AAC713E3E8C0E3E9ED7413E2CEBC53D1EC430BE289A51BD3CF4843DDE78213E8075393CB0BB2F3EBC2798BD9EB80EBE52960F3EF018403E121C3FBEF8B31EBEB225403E74AAE8BD508DA6BCACCBD4BD3874ECBD2025D43DA0728DBDB462C2BDC0D4FB3BFE78173EA4CD92BDE4BC2D3EEEBF57BE48324D3E40C05ABC7031203E200CD6BC408AD6BD40844E3ECC5553BEF03382BD0CD400BEF26B4C3EDCB32ABE38DC183E16C31ABE083B01BE028B6ABEDA3B1EBE8C6CDEBDE029D3BD924A0B3E684B503EE0192DBE2CC6543E40F3D03BB04D843C1CA94CBE40EE943DE4984B3E88877F3D3A0B48BE6AE034BE0CF86EBE507D283E14352CBEF852D2BDF037B9BD0020A03A5418B83D54FAA9BD04D77E3EDCF6B63D2CC6283E681FE0BDFC0702BE2072203EF6F4333E80B67E3BE0A56DBCA27C7B3EE81BA1BDC031453CDABD683E3CAB4C3E18A6953D944C79BE10A61ABD1853423D3C72453EB02BC3BCF01C9F3C7CC2F0BD849A463EF26D563E68DF1E3E90C56EBD30ED8E3DE2B963BE00E80ABB48649BBD9AA3193EC059763CCC62243E00D1CDBD6CF0D73D360525BEE0BDF63D42B629BE320E493EE45BFCBD7CC33FBE82A4783E70E401BD0C5052BE1656003E72BC0BBE7E70743EF000043ED41B37BEA05B06BEE8767A3D4A2503BE8ADF3FBEE811743E88DF2CBD32971ABEA0AF993D5C6B843D2CB1B5BD003465BAE077953C90CD7B3EF4F430BE564D4EBE48C44ABDA4DFFD3D700C943DA60163BE76B00EBEE8429F3D70FDD6BC365E2F3E30D63F3D30AFF13D48A2EABD4CB8ABBD64F6C3BDA8B57ABDCCFBF3BD00487E3AC0819BBBD2FD48BE8E1C4ABE00362CBBEA556B3E782A563D80F1BDBC800E5C3D0068DA3A24D6CF3DDACF423E1E67473EA6F91FBE00AC963A407168BC607E01BC60A0F6BC006E813C48E04C3EDAB538BEC4A2BFBD724F4C3E288213BDDC42B8BD523C35BE52DF4EBE38AA8F3D280DDC3D6E48653E",
      torch_tensor_48_torch.float32: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_48_16_torch.float32: "0x04000000AB51663BBC82DE3DC1B4943E4E6C97BE889909BE973289BE0C347EBE2F08883E2DF2123E51306BBE1B4993BE0F4C9C3E4EE7DFBD08101DBD459412BD038B67BDCBBA2B3DB8A045BE78BF883EA386E0BDA62D97BEE6D7C2BD2AB58A3EE2AB6A3E67013BBE82A94BBED84D8B3E454897BC927C933DFA559D3DA653FC3C380A2E3ECB79413E71C8873E49DD13BE9800183D6EBBE73CFF3BF8BD9C4885BDABF854BE9882EDBD9793DA3DB8FD8CBE86BE41BE3E2DB53C9A1228BEF10E1F3D22597E3EE75310BEF5EDB2BD84D4FE3D9D1512BE62AC92BED53DAF3D6AD60B3DC02E90BD99CB4A3D736BA33C09401EBD639D88BE76815B3EDE3E9A3D201A653CCCBE66BE6C4F9EBDE3D352BE0590803E012D1BBE4582EFBDEE2CA5BD381E2BBC460290BE473592BC879992BE5DADD0BD964585BE446ED9BD022075BED67898BE7CEAB33D294771BEAD32483CBD7880BE47C30CBE5FD33FBD1C8C903ED43601BDCCCE223DAC2A8ABD1178173E211787BE7826313B4439913D81E9903EA99056BD119D2C3EE6A0293E39D75E3EB87C1F3E932CD0BDB2308ABE7C5A0B3E40B5D83D9CCF23BE261FB6BDE2F568BEB7BD06BDB0D0343E0D40DB3D93FA553EFA5F9ABE7659D7BD3AFE083EABF209BE74E697BE5D9A8B3C42A255BDF431EF3CC979403D5401213E2CB0913E62A691BD5F3E69BE2996CF3D202928BE0A6B8BBE04E954BE9A0987BE46401FBDBC728FBDF1342E3D40E8983E59AC7A3C2C2C4F3EFE8E363E1204373E1AC506BE22C297BB1F324ABD33FD9B3E7DDA363E0C7C313CFCD544BC363B8E3E07F1153E7B496EBE194EF8BC14ECC5BD6827043ECCE193BEEA5D14BE050956BE8EFFB1BCA154503E652D96BDDC70943EDD8C70BEDA0A2E3EFD82923DB2BA543EF4760DBEB3E2863E66EC94BE9128533B919C2B3E869A6CBEBE0B803E640E153EED8CE93D64B1B4BCCE503F3E17ACCBBD0B46633E898F99BD1891733EB8688CBE42E43D3E1D6D25BE3AB8243E7F88B43D90E55BBCE0A6343E877A88BE57C18ABEC39017BD247C983D2C3E8C3B2C25A63DF7C9D13DE13158BDCFA1293E39C3823EA1BABF3DD913823E00C53CBECE54F93CB70701BD3753453BF8DD83BEB40AB5BD4C62303ED03D30BED31E8ABE3A3B3BBEDAB536BD5A20423E8A4E7EBCDB2FCF3DFDD826BE6A6699BDC115A3BDB216293E3EBFAC3C7543A7BDF01CB1BD43976FBE137A743E38E35EBDFE2010BE50F8063EFB1C283E5E7C95BE427E7EBE323CB2BDA61553BE95E805BE8B872A3EC133713EC8E2303EB566973E77B57B3D43F9073E14BAB0BACFD212BE453F493E3BD685BED27CF3BDE769923EDD220A3E2C8D773EDE3A353D24CB9E3D2088363E0F9AC1BBC669BDBDE849133E6A4553BE46F695BE1F7131BE90B5B83C39257C3D509E02BEC3C1313EB89B4DBED32A883E8047D43D034BD53D079729BD945E21BE942586BE65190EBE1B99B0BD0B87D5BC6D339CBE861B543C234E2EBEA7CA873EFDF05F3E6B8B8DBE6B49403E3348393E52B746BE10217D3DD293133E3DF789BECDAE543EAB4B463E087994BEFB5C6A3EFF943FBEF4D74D3D00A130BE5DD2C93DC9F3A03C9795A3BD1E436ABE9D6EB5BC67E12E3D63D3833CE895BF3CC4B7873E63DBB9BD9E5A973EEB4A6BBE1ACB4F3E4C2433BE2DCD97BDCF4C4CBE8FF1233A7C7A933DF072473E24DF0B3E033C13BE5D542A3D778F8EBE7FF3B1BDE99E11BEBD804EBCE79A593E5AFA203E97BED6BD96CDF4BB18572FBD22864ABDF876CDBD75D0173E2559563EC8F495BE752E78BE705F643EF8DF4BBD2306FF3DA121993E5EB89A3DDD5E853D4D06973EC59F23BD509F413EE295B9BDFD2FE6BD51F6DC3D3E2810BDF10E3A3BB16175BE598881BEA10C9BBE5953983EEC7488BEEF825BBD26998EBDE39A86BE811099BE5C3D99BE4DC9F8BD52A61ABE9F255B3DED5F4FBE134C4E3CBC56ED3D20DA66BE06DA74BD169EDBBDB01C183E436682BE972F083BA7C051BE8B4A6EBEF2770C3E9E010FBEC80EED3DBA108C3EAEE576BE421875BECB50EC3D982B003EB494F73C0A917B3E67480CBEC6472A3EC643883EAAAC8CBEFC3B94BE7A614B3E3A22F5BD2F082D3E61D58F3EB821963CE72894BE2E9984BE2ABE48BEF038B73D0F1F9A3EE76CCD3DB1A219BEEBAC70BEAF119A3BC3DD063ECAD0583EA6856C3EBDAF06BE1FB254BE38194F3D79AEE53C8E5E13BEC9A7CBBD3379EF3D0885483ED80087BE3E9F503E7097113BBC193C3E64F69B3EEBE6243EBF3F30BEFAA552BD5F901A3E0576B53D4B8B083C06D5793EE34663BEA4EE503D5E3FA43DAC71AB3DAB08273D824C0FBEB58F303E029C57BE2A3B4B3E245586BE4985973E0EB288BE8409323ED78D923D8AA88F3EAF73173E26E248BE69B8773D7453983E1E883EBDCFA59BBEC4667ABD65C35D3EDA3F823EB73912BD1BAC2CBEC93962BE61069E3D48AC1ABE07EE8BBDF53DB4BDF9B72EBE2A772BBE6E71EFBDBF0F233C00A60F3DA60B323D59BB8E3CECB78EBE5D6B3C3E9F4F9FBC251143BEB2CC903EE63129BEDF93023E72C333BDDC80CFBD90930F3EB76939BE17A956BE8926603E81FF42BE3E433CBD76D688BD48433DBE34E782BE5FBBEBBD9DF3003E01D9943E07DD9BBE665E8A3DAF56E4BDFBBD743E0E35A23DE019C4BD1CB61E3D1E8D03BDF66687BD6BE27D3EB562133E76DE90BD08BE373E5C49BD3DF290813E4D21E3BCAECC4A3ED69F503E651DAD3A30E99B3E94E698BDFFAA173E3E9189BE88E6303E84E01FBEB00A963EBECE883E6DAA663E373642BC205A84BEEECF613EA3A191BD437481BE7902213EC05190BD3BBFC23CD6353BBDEB8A7C3C204C413E42B6C03D86D109BEE2F85E3D82508B3E8B00383EAE8FB13D330F673CAA71973D7A47873EC77E883D5C79FDBCDDE5803D2D8C5B3E6DB6CD3C670C773E6391053DFFE1DC3D3E3EB0BD75FC25BE14AA303E233B213E625E813D6BFF74BD5A8D8DBE3BE8833E8206983E1D224CBE75566E3E8D1B9BBD77C786BE40B387BE9A665FBE73562E3E6C815DBD828E903D33AC5BBE247B3D3E838E4A3E848E663E422CEA3DDBC378BE68C4A03CCDB49B3E795A9A3EA39881BE3DB7943EB445263C6CC581BE28971D3E7404663E67429BBE56D868BE33D485BE21407C3E0E3295BD6ACFFBBD5876643EF93F883E93AF65BEF681063ED36D3EBEC02194BEC2D999BE807714BE9A88873EA65A843E26EE7F3D740D9ABE5880B0BD289059BE6C1B87BE59B6863D33367EBE6A4FA1BC0CE4BABB962C963EC965533E8E8DB13D9DED01BE326159BC9669103EFCC2873E9992DC3D669FC13D524E07BE27CE363D6A46713D258670BEDAC42EBC3C39063E1D043D3E98281E3ED8F151BE8316283E8E7C383E6E3DF83D03BA033E469370BEFFBD54BE280383BE06F759BEF392BE3C5F6EF33DF8B4333E5BBCF9BD2E15A1BD403E2BBD77967FBD8A9350BE1CE9873EBAE92C3EB0EA6E3E64BCACBD81194CBED2DE8CBE18CB3E3EE12A7B3D9F9E72BE1FF4193E286A6D3D36E3AFBD02E3EFBCADFC8BBE0464583E06E193BE71BF0A3B830E38BE40D898BE06AE63BE52A13D3EEC9C633E3C999B3E2A2466BEC5834E3E5317D13CEE8F81BD0655AB3CBE393D3E8E25553EBBC1943EAA70A43D47020E3E5BF48EBEEDBC583D64AF01BD56ACF9BDB229B6BDA35CE6BD2CAB51BD13BCA53D18EF2CBEC728963EF7A7C63DCE13223E0A5689BED841E8BDAA1A573E101C8DBE70DFA1BD378F693E1D49613EDCE3A73D26254CBE1FF41DBE48A8E83DB0710C3DD7D092BDBEF770BE43D00F3E2BC1843E2A7771BECA2C813E1A13FABC56DA3B3D372F8BBDCE7529BE4815853E267A28BE2428933EB7E0973DCC48923E05C589BD39A70ABE8ED3943E6DAE6ABE4903CB3C2C3B75BEE1DD58BE74FC7EBE9004993E0E7B853EC27005BE3549DE3D715DD1BDE0641D3E22F6973ECE3C813EB5FCBD3DA4733ABEE4F3313E2BD2953D59C1793D30686FBD9AFC543E3CF36F3D0976F83D8351273E8E480A3E066BCB3D4CC18E3E7ACEE23C9C1F89BE1BC910BEB82267BE2E5AA23D388449BE630793BE9C19CE3D1A9785BE6DAF743DC901893C07D0C5BDB3E1333ED26F20BDD5ED9C3D5162023E6C1E6BBE4C9798BD99E1553DA78899BE200C47BD0DA6CC3D81589BBE598D68BEE281633E58C88D3E0B87BA3C2327CA3C2FC92F3DE04802BE5CF01BBE3C830B3EB383C2BDF79BFABD0BD0D6BDA0FEB43D42AE2BBE4579973EC3322F3E4F16073E0123FABD15879ABEC8D662BE102389BD1F382E3D07110C3EA39090BE38AA743DF2D30E3EC7320E3ECE4C123E",
      torch_tensor_30_16_torch.float32: "0x04000000E89BBDBCDD6D97BFAF880B405DB6094058989D3FC15DC1BDC983D43FD00844BF63C47FBE7B424A3DAD4DF4BD9B78A7BEE6BE493FD69D8B3E8AE85C3F086F0EBF8EAA9EBECE27893EC9D185BFEB160E3DC2E999BF26118A3F5DA697BF1F1110BE636F873FB9F7723D1C5D9BBF7CE9673FF7499F3D0BB504BF94A296BE4C3E9BBFB5EDA0BE6CBC9D3F92950C40142F143F771149BFB50CF53EFAF7DEBFBFA1883F4305283F044C69BF2E2BC5BF8E1D07C02D9C10BE5C26423F1C3125BF2F5F193FB2CDE6BEBA0C673F2B4C9DBEAD103A3FE2917B3E2221E1BEBB36713F4E0F5FBF95ACC53FCE9C833F6F9C43BF967BBBBD8E557E3E2FDAB2BFFD6B20BF5ACBD1BFA93A1F40EE7AA8BF9CF794BFB63247BF4E02D2BDDC5E8BBE5E1127BF00E0F93D34FE3C3E027B803EE46ABFBE3603933F4F7C973EB4A2DABE45B43A3FF8128B3F8C02733F6CD0053E3A1B14BFB310063F34FE7EBF410886BEC38B02C002EE01BF316B49408638DDBF1063C93E5242D23BFD0216BEEF06D0BF0A010D3F735F213FD94F903EC36398BF5BBF8ABE17E8EC3E675363BFF711093FC10E213F4C86643D53047FBFAE3649BFBC3BCABD35B9FABEFC7643BF77BE04C0290401BF02E814BF12AEE7BEE27448BFE4BCC8BE5C7488BF0770893FE47B773F7ABBFD3F2E5F99BF764FBDBF64FFFC3E9894AEBF75E40FBF61BCD23F30E414BE477AC43E53B7713FE428773D3DB81B3F6C05094043E80BBF78AD373DF233A13F357215BF613929BF5D83D2BE9927BE3F461B9CBEA9486E3F457299BF395800BF40DB02C092FB113FE283283EB4BC04C0B299103FBE6FEB3EDAA336BF456A383FA8D8D43E0E9A1FBFCA472BBEDC0D21BDFDFDB23F69147DBF09FAB1BFE2E9213F400CBFBF41A19F3DE025AF3FCD90453F591A89BECB6454BF5067D1BF53A797BF699B76BECA70E0BE140ADDBE147D0A3F1A5B02BFD9FA95BE33AEA33FA7D644BF46558D3FCD8B06BF221439BF782D203FF49118BD4EE06DBFFF0C19C00F6C283F8D0B8F3F864C2CBE9584FFBD26D3313FB18D3DBF739DC6BF09CC9DBF737BE4BD133E0CBF4C8CAD3FF24737BDB40F0CBF3B754B3E30A557BFD9F414BFA4932ABEC1BD50BFBA2ECDBE3F113C3F3BDE0D3F8F0E33BF37A8C4BFDD63BA3F3814C3BF8390BF3F571E7E3FE1E9473F82D2973F65DBA03DB2D4E73F2E875B3F65843DBF3E710A40A34805BF1AE4DB3EFD5A6B3F816B76BF4F499C3D9280463EB1E486BD9E6AF73FB6B58EBE5792BDBEB32F82BE3673E93F5006863F9BEF383F6888223FFD3A9D3EC46888BF721982BF3621113F58A3203F418078BFA3DF38BFA2DD83BF202C7CBFC710A63EC673A1BFAEDE853F3BB5CEBD79F0CA3D13C6C9BE8CA23A3F0D3F343D3E7288BF332032BF3B1E0EC051CB213EC21CF0BE6759A23F20D1B8BD3F196EBE4966983D581F5EBE80516ABF01E431C0CC586E3F23492BBF2F951F3F22443A3FA31897BF291419BE05FE13BE36D461BE176C3E3F204A893F318FE13F6DB67ABF81EADCBF3BA5A4BFB24C1E3F6AD4BC3F6ACB3DBEB80E9BBD5DEB123F9BFB573F1BD12D3F03ED283FD2E4973D6B579D3F2E4BE53E96878FBD237E91BF0877BEBE341BD93F0B2A3DBFD3BFD73E9B67B9BDB22961BE29595B3EDA5BE63F25509BBE7A5E6F3E88A0973E679B513F54538E3EDFE155BF22223ABFED22CA3F4623773F040FD3BED558A6BFCD4327C00E0CC5BEA2E0ABBE9DD01F3E9D783EBF7EAC59BF46BC12BFEA29883FD5698E3EF1355E3F520D3CBE4A62A63FDB5CAC3FC84B92BEB839D23E6850853D9BAE033F324866BF78B73FBDC1039F3CC7F2943FB18168BE7AA1B8BF2CA553BF408322BFD1DD223F576BB13F42877BBC645662BE23101FBF49FE1BBEE54727BF5FD9883EBBC4163E32CC8D3EBB45103E2575583FDC4C5C3FA4A5373F8EABE0BDC68E51BE0FD88EBF502F493E0023E8BEE7475BBECF46753F0F3F7DBD3561C63DB3ABE4BF144F4E4000D653BFDC28A3BF622040BE2133BD3E45924B3E24E649BF59BCD5BEEF9684BF7EF11DBD69369F3CE683BDBE5C7109BF192A81BB33BFD83DC8829CBFA98F3A3E93A2743EF61833BD35EEA5BFD04F023F3D88103E695C873E72CC2F3F71C3A3BFFFA3C1BFB6B50D3F6917DA3F0A27CE3E2EB61FBEB083FD3FE028613F450E45BF56AFA63F928CF93E49C52D3FCE0705C0081956BFA00F85BE178160BFFF3F00BFD091B23FA4881CBFF67F2ABF8506D5BDB16DA3BECD9B833E167076BE44623DBF0E2367BF19F710C0A6DAC53E11D3B63F36E6613FB8FC30BE4463DD3E4F49023F0B10A13F7444763F952E31BF909BB4BF146A2C3E391DE2BD603585BF1B67BC3F4D9CF4BD662443BF897A2CBFE25B6840E31F973F71EE553F17E3CD3EDDBF6D3D28A0903F85DE503EFFA68FBEE11B40BFF6629B3F9EC9B63DD565173F94431FBE05B7C73EC5E00FC00ECEB9BE3B2FB0BF57ECC7BE4DB5DEBF9D540E3F816A573FA570B2BF3C2A853FC37ECEBE049A0B3F44FA303F52771B3FC2E050BF57CC7DBE6B4BA6BE728959BFA0D58D3ED37D0DC0E35E6CBFCFC9DCBEA42DD13F265583BF5C8613BFA67C953E2A9C07C0A36C8B3C73CA8B3F7C18B5BDA412BDBE3BB6E03E5ADCA2BE9D18AA3F015FEABF27D6CD3D3A0DD9BC79298ABEADC7A33D86E05E3E472AA33F7B7DF43F9D049F3E6ECFFCBFE42381BF"
    }
  }
#-}
