module {
  func.func @main(%arg0: tensor<2x3x7x5xf32>) -> tensor<2x27x120xf32> {
    %c = stablehlo.constant dense<2> : tensor<10xi64>
    %c_0 = stablehlo.constant dense<20> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<12xi64>
    %c_2 = stablehlo.constant dense<2> : tensor<12xi64>
    %c_3 = stablehlo.constant dense<24> : tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<22xi64>
    %c_5 = stablehlo.constant dense<1> : tensor<22xi64>
    %c_6 = stablehlo.constant dense<22> : tensor<i64>
    %c_7 = stablehlo.constant dense<12> : tensor<i64>
    %c_8 = stablehlo.constant dense<1> : tensor<26x1xi64>
    %c_9 = stablehlo.constant dense<0> : tensor<26xi64>
    %c_10 = stablehlo.constant dense<1> : tensor<26xi64>
    %c_11 = stablehlo.constant dense<26> : tensor<i64>
    %c_12 = stablehlo.constant dense<0> : tensor<13xi64>
    %c_13 = stablehlo.constant dense<7> : tensor<i64>
    %c_14 = stablehlo.constant dense<-1> : tensor<11xi64>
    %c_15 = stablehlo.constant dense<1> : tensor<11xi64>
    %c_16 = stablehlo.constant dense<11> : tensor<i64>
    %c_17 = stablehlo.constant dense<0> : tensor<8xi64>
    %c_18 = stablehlo.constant dense<-2> : tensor<13xi64>
    %c_19 = stablehlo.constant dense<1> : tensor<13xi64>
    %c_20 = stablehlo.constant dense<13> : tensor<i64>
    %c_21 = stablehlo.constant dense<0> : tensor<10xi64>
    %c_22 = stablehlo.constant dense<4> : tensor<8xi64>
    %c_23 = stablehlo.constant dense<-2> : tensor<8xi64>
    %c_24 = stablehlo.constant dense<1> : tensor<8xi64>
    %c_25 = stablehlo.constant dense<8> : tensor<i64>
    %c_26 = stablehlo.constant dense<0> : tensor<2xi64>
    %c_27 = stablehlo.constant dense<1> : tensor<2xi64>
    %c_28 = stablehlo.constant dense<2> : tensor<i64>
    %c_29 = stablehlo.constant dense<0> : tensor<3xi64>
    %c_30 = stablehlo.constant dense<1> : tensor<3xi64>
    %c_31 = stablehlo.constant dense<3> : tensor<i64>
    %c_32 = stablehlo.constant dense<0> : tensor<5xi64>
    %c_33 = stablehlo.constant dense<1> : tensor<5xi64>
    %c_34 = stablehlo.constant dense<5> : tensor<i64>
    %c_35 = stablehlo.constant dense<0> : tensor<i64>
    %c_36 = stablehlo.constant dense<6> : tensor<10xi64>
    %c_37 = stablehlo.constant dense<-1> : tensor<10xi64>
    %c_38 = stablehlo.constant dense<1> : tensor<10xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c_39 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %cst_40 = arith.constant dense<5.000000e-01> : tensor<1xf64>
    %cst_41 = arith.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_42 = arith.constant dense<1.000000e+00> : tensor<1xf64>
    %c_43 = stablehlo.constant dense<9> : tensor<i64>
    %c_44 = stablehlo.constant dense<1> : tensor<i64>
    %c_45 = stablehlo.constant dense<10> : tensor<i64>
    %0 = stablehlo.convert %c_44 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.convert %c_45 : (tensor<i64>) -> tensor<f64>
    %2 = stablehlo.divide %1, %0 : tensor<f64>
    %3 = stablehlo.ceil %2 : tensor<f64>
    %4 = stablehlo.convert %3 : (tensor<f64>) -> tensor<i64>
    %5 = stablehlo.reshape %4 : (tensor<i64>) -> tensor<1xi64>
    %6 = stablehlo.dynamic_iota %5, dim = 0 : (tensor<1xi64>) -> tensor<10xi64>
    %7 = stablehlo.multiply %6, %c_38 : tensor<10xi64>
    %8 = stablehlo.add %7, %c_37 : tensor<10xi64>
    %9 = stablehlo.abs %8 : tensor<10xi64>
    %10 = stablehlo.subtract %c_36, %9 : tensor<10xi64>
    %11 = stablehlo.abs %10 : tensor<10xi64>
    %12 = stablehlo.subtract %c_36, %11 : tensor<10xi64>
    %13 = stablehlo.convert %c_34 : (tensor<i64>) -> tensor<f64>
    %14 = stablehlo.divide %13, %0 : tensor<f64>
    %15 = stablehlo.ceil %14 : tensor<f64>
    %16 = stablehlo.convert %15 : (tensor<f64>) -> tensor<i64>
    %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
    %18 = stablehlo.dynamic_iota %17, dim = 0 : (tensor<1xi64>) -> tensor<5xi64>
    %19 = stablehlo.multiply %18, %c_33 : tensor<5xi64>
    %20 = stablehlo.add %19, %c_32 : tensor<5xi64>
    %21 = stablehlo.reshape %12 : (tensor<10xi64>) -> tensor<10x1xi64>
    %22 = stablehlo.convert %c_31 : (tensor<i64>) -> tensor<f64>
    %23 = stablehlo.divide %22, %0 : tensor<f64>
    %24 = stablehlo.ceil %23 : tensor<f64>
    %25 = stablehlo.convert %24 : (tensor<f64>) -> tensor<i64>
    %26 = stablehlo.reshape %25 : (tensor<i64>) -> tensor<1xi64>
    %27 = stablehlo.dynamic_iota %26, dim = 0 : (tensor<1xi64>) -> tensor<3xi64>
    %28 = stablehlo.multiply %27, %c_30 : tensor<3xi64>
    %29 = stablehlo.add %28, %c_29 : tensor<3xi64>
    %30 = stablehlo.reshape %29 : (tensor<3xi64>) -> tensor<3x1xi64>
    %31 = stablehlo.reshape %30 : (tensor<3x1xi64>) -> tensor<3x1x1xi64>
    %32 = stablehlo.convert %c_28 : (tensor<i64>) -> tensor<f64>
    %33 = stablehlo.divide %32, %0 : tensor<f64>
    %34 = stablehlo.ceil %33 : tensor<f64>
    %35 = stablehlo.convert %34 : (tensor<f64>) -> tensor<i64>
    %36 = stablehlo.reshape %35 : (tensor<i64>) -> tensor<1xi64>
    %37 = stablehlo.dynamic_iota %36, dim = 0 : (tensor<1xi64>) -> tensor<2xi64>
    %38 = stablehlo.multiply %37, %c_27 : tensor<2xi64>
    %39 = stablehlo.add %38, %c_26 : tensor<2xi64>
    %40 = stablehlo.reshape %39 : (tensor<2xi64>) -> tensor<2x1xi64>
    %41 = stablehlo.reshape %40 : (tensor<2x1xi64>) -> tensor<2x1x1xi64>
    %42 = stablehlo.reshape %41 : (tensor<2x1x1xi64>) -> tensor<2x1x1x1xi64>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi64>) -> tensor<2x3x10x5xi64>
    %44 = stablehlo.reshape %43 : (tensor<2x3x10x5xi64>) -> tensor<2x3x10x5x1xi64>
    %45 = stablehlo.broadcast_in_dim %31, dims = [1, 2, 3] : (tensor<3x1x1xi64>) -> tensor<2x3x10x5xi64>
    %46 = stablehlo.reshape %45 : (tensor<2x3x10x5xi64>) -> tensor<2x3x10x5x1xi64>
    %47 = stablehlo.broadcast_in_dim %21, dims = [2, 3] : (tensor<10x1xi64>) -> tensor<2x3x10x5xi64>
    %48 = stablehlo.reshape %47 : (tensor<2x3x10x5xi64>) -> tensor<2x3x10x5x1xi64>
    %49 = stablehlo.broadcast_in_dim %20, dims = [3] : (tensor<5xi64>) -> tensor<2x3x10x5xi64>
    %50 = stablehlo.reshape %49 : (tensor<2x3x10x5xi64>) -> tensor<2x3x10x5x1xi64>
    %51 = stablehlo.concatenate %44, %46, %48, %50, dim = 4 : (tensor<2x3x10x5x1xi64>, tensor<2x3x10x5x1xi64>, tensor<2x3x10x5x1xi64>, tensor<2x3x10x5x1xi64>) -> tensor<2x3x10x5x4xi64>
    %52 = "stablehlo.gather"(%arg0, %51) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x7x5xf32>, tensor<2x3x10x5x4xi64>) -> tensor<2x3x10x5xf32>
    %53 = stablehlo.convert %c_25 : (tensor<i64>) -> tensor<f64>
    %54 = stablehlo.divide %53, %0 : tensor<f64>
    %55 = stablehlo.ceil %54 : tensor<f64>
    %56 = stablehlo.convert %55 : (tensor<f64>) -> tensor<i64>
    %57 = stablehlo.reshape %56 : (tensor<i64>) -> tensor<1xi64>
    %58 = stablehlo.dynamic_iota %57, dim = 0 : (tensor<1xi64>) -> tensor<8xi64>
    %59 = stablehlo.multiply %58, %c_24 : tensor<8xi64>
    %60 = stablehlo.add %59, %c_23 : tensor<8xi64>
    %61 = stablehlo.abs %60 : tensor<8xi64>
    %62 = stablehlo.subtract %c_22, %61 : tensor<8xi64>
    %63 = stablehlo.abs %62 : tensor<8xi64>
    %64 = stablehlo.subtract %c_22, %63 : tensor<8xi64>
    %65 = stablehlo.convert %c_45 : (tensor<i64>) -> tensor<f64>
    %66 = stablehlo.divide %65, %0 : tensor<f64>
    %67 = stablehlo.ceil %66 : tensor<f64>
    %68 = stablehlo.convert %67 : (tensor<f64>) -> tensor<i64>
    %69 = stablehlo.reshape %68 : (tensor<i64>) -> tensor<1xi64>
    %70 = stablehlo.dynamic_iota %69, dim = 0 : (tensor<1xi64>) -> tensor<10xi64>
    %71 = stablehlo.multiply %70, %c_38 : tensor<10xi64>
    %72 = stablehlo.add %71, %c_21 : tensor<10xi64>
    %73 = stablehlo.reshape %72 : (tensor<10xi64>) -> tensor<10x1xi64>
    %74 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi64>) -> tensor<2x3x10x8xi64>
    %75 = stablehlo.reshape %74 : (tensor<2x3x10x8xi64>) -> tensor<2x3x10x8x1xi64>
    %76 = stablehlo.broadcast_in_dim %31, dims = [1, 2, 3] : (tensor<3x1x1xi64>) -> tensor<2x3x10x8xi64>
    %77 = stablehlo.reshape %76 : (tensor<2x3x10x8xi64>) -> tensor<2x3x10x8x1xi64>
    %78 = stablehlo.broadcast_in_dim %73, dims = [2, 3] : (tensor<10x1xi64>) -> tensor<2x3x10x8xi64>
    %79 = stablehlo.reshape %78 : (tensor<2x3x10x8xi64>) -> tensor<2x3x10x8x1xi64>
    %80 = stablehlo.broadcast_in_dim %64, dims = [3] : (tensor<8xi64>) -> tensor<2x3x10x8xi64>
    %81 = stablehlo.reshape %80 : (tensor<2x3x10x8xi64>) -> tensor<2x3x10x8x1xi64>
    %82 = stablehlo.concatenate %75, %77, %79, %81, dim = 4 : (tensor<2x3x10x8x1xi64>, tensor<2x3x10x8x1xi64>, tensor<2x3x10x8x1xi64>, tensor<2x3x10x8x1xi64>) -> tensor<2x3x10x8x4xi64>
    %83 = "stablehlo.gather"(%52, %82) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x10x5xf32>, tensor<2x3x10x8x4xi64>) -> tensor<2x3x10x8xf32>
    %84 = stablehlo.convert %c_20 : (tensor<i64>) -> tensor<f64>
    %85 = stablehlo.divide %84, %0 : tensor<f64>
    %86 = stablehlo.ceil %85 : tensor<f64>
    %87 = stablehlo.convert %86 : (tensor<f64>) -> tensor<i64>
    %88 = stablehlo.reshape %87 : (tensor<i64>) -> tensor<1xi64>
    %89 = stablehlo.dynamic_iota %88, dim = 0 : (tensor<1xi64>) -> tensor<13xi64>
    %90 = stablehlo.multiply %89, %c_19 : tensor<13xi64>
    %91 = stablehlo.add %90, %c_18 : tensor<13xi64>
    %92 = stablehlo.clamp %c_35, %91, %c_43 : (tensor<i64>, tensor<13xi64>, tensor<i64>) -> tensor<13xi64>
    %93 = stablehlo.convert %c_25 : (tensor<i64>) -> tensor<f64>
    %94 = stablehlo.divide %93, %0 : tensor<f64>
    %95 = stablehlo.ceil %94 : tensor<f64>
    %96 = stablehlo.convert %95 : (tensor<f64>) -> tensor<i64>
    %97 = stablehlo.reshape %96 : (tensor<i64>) -> tensor<1xi64>
    %98 = stablehlo.dynamic_iota %97, dim = 0 : (tensor<1xi64>) -> tensor<8xi64>
    %99 = stablehlo.multiply %98, %c_24 : tensor<8xi64>
    %100 = stablehlo.add %99, %c_17 : tensor<8xi64>
    %101 = stablehlo.reshape %92 : (tensor<13xi64>) -> tensor<13x1xi64>
    %102 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi64>) -> tensor<2x3x13x8xi64>
    %103 = stablehlo.reshape %102 : (tensor<2x3x13x8xi64>) -> tensor<2x3x13x8x1xi64>
    %104 = stablehlo.broadcast_in_dim %31, dims = [1, 2, 3] : (tensor<3x1x1xi64>) -> tensor<2x3x13x8xi64>
    %105 = stablehlo.reshape %104 : (tensor<2x3x13x8xi64>) -> tensor<2x3x13x8x1xi64>
    %106 = stablehlo.broadcast_in_dim %101, dims = [2, 3] : (tensor<13x1xi64>) -> tensor<2x3x13x8xi64>
    %107 = stablehlo.reshape %106 : (tensor<2x3x13x8xi64>) -> tensor<2x3x13x8x1xi64>
    %108 = stablehlo.broadcast_in_dim %100, dims = [3] : (tensor<8xi64>) -> tensor<2x3x13x8xi64>
    %109 = stablehlo.reshape %108 : (tensor<2x3x13x8xi64>) -> tensor<2x3x13x8x1xi64>
    %110 = stablehlo.concatenate %103, %105, %107, %109, dim = 4 : (tensor<2x3x13x8x1xi64>, tensor<2x3x13x8x1xi64>, tensor<2x3x13x8x1xi64>, tensor<2x3x13x8x1xi64>) -> tensor<2x3x13x8x4xi64>
    %111 = "stablehlo.gather"(%83, %110) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x10x8xf32>, tensor<2x3x13x8x4xi64>) -> tensor<2x3x13x8xf32>
    %112 = stablehlo.convert %c_16 : (tensor<i64>) -> tensor<f64>
    %113 = stablehlo.divide %112, %0 : tensor<f64>
    %114 = stablehlo.ceil %113 : tensor<f64>
    %115 = stablehlo.convert %114 : (tensor<f64>) -> tensor<i64>
    %116 = stablehlo.reshape %115 : (tensor<i64>) -> tensor<1xi64>
    %117 = stablehlo.dynamic_iota %116, dim = 0 : (tensor<1xi64>) -> tensor<11xi64>
    %118 = stablehlo.multiply %117, %c_15 : tensor<11xi64>
    %119 = stablehlo.add %118, %c_14 : tensor<11xi64>
    %120 = stablehlo.clamp %c_35, %119, %c_13 : (tensor<i64>, tensor<11xi64>, tensor<i64>) -> tensor<11xi64>
    %121 = stablehlo.convert %c_20 : (tensor<i64>) -> tensor<f64>
    %122 = stablehlo.divide %121, %0 : tensor<f64>
    %123 = stablehlo.ceil %122 : tensor<f64>
    %124 = stablehlo.convert %123 : (tensor<f64>) -> tensor<i64>
    %125 = stablehlo.reshape %124 : (tensor<i64>) -> tensor<1xi64>
    %126 = stablehlo.dynamic_iota %125, dim = 0 : (tensor<1xi64>) -> tensor<13xi64>
    %127 = stablehlo.multiply %126, %c_19 : tensor<13xi64>
    %128 = stablehlo.add %127, %c_12 : tensor<13xi64>
    %129 = stablehlo.reshape %128 : (tensor<13xi64>) -> tensor<13x1xi64>
    %130 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi64>) -> tensor<2x3x13x11xi64>
    %131 = stablehlo.reshape %130 : (tensor<2x3x13x11xi64>) -> tensor<2x3x13x11x1xi64>
    %132 = stablehlo.broadcast_in_dim %31, dims = [1, 2, 3] : (tensor<3x1x1xi64>) -> tensor<2x3x13x11xi64>
    %133 = stablehlo.reshape %132 : (tensor<2x3x13x11xi64>) -> tensor<2x3x13x11x1xi64>
    %134 = stablehlo.broadcast_in_dim %129, dims = [2, 3] : (tensor<13x1xi64>) -> tensor<2x3x13x11xi64>
    %135 = stablehlo.reshape %134 : (tensor<2x3x13x11xi64>) -> tensor<2x3x13x11x1xi64>
    %136 = stablehlo.broadcast_in_dim %120, dims = [3] : (tensor<11xi64>) -> tensor<2x3x13x11xi64>
    %137 = stablehlo.reshape %136 : (tensor<2x3x13x11xi64>) -> tensor<2x3x13x11x1xi64>
    %138 = stablehlo.concatenate %131, %133, %135, %137, dim = 4 : (tensor<2x3x13x11x1xi64>, tensor<2x3x13x11x1xi64>, tensor<2x3x13x11x1xi64>, tensor<2x3x13x11x1xi64>) -> tensor<2x3x13x11x4xi64>
    %139 = "stablehlo.gather"(%111, %138) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x13x8xf32>, tensor<2x3x13x11x4xi64>) -> tensor<2x3x13x11xf32>
    %140 = stablehlo.convert %c_11 : (tensor<i64>) -> tensor<f64>
    %141 = stablehlo.divide %140, %0 : tensor<f64>
    %142 = stablehlo.ceil %141 : tensor<f64>
    %143 = stablehlo.convert %142 : (tensor<f64>) -> tensor<i64>
    %144 = stablehlo.reshape %143 : (tensor<i64>) -> tensor<1xi64>
    %145 = stablehlo.dynamic_iota %144, dim = 0 : (tensor<1xi64>) -> tensor<26xi64>
    %146 = stablehlo.multiply %145, %c_10 : tensor<26xi64>
    %147 = stablehlo.add %146, %c_9 : tensor<26xi64>
    %148 = stablehlo.convert %147 : (tensor<26xi64>) -> tensor<26xf32>
    %149 = stablehlo.convert %cst_40 : (tensor<1xf64>) -> tensor<1xf32>
    %150 = stablehlo.reshape %149 : (tensor<1xf32>) -> tensor<f32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [] : (tensor<f32>) -> tensor<26xf32>
    %152 = stablehlo.add %148, %151 : tensor<26xf32>
    %153 = stablehlo.multiply %152, %151 : tensor<26xf32>
    %154 = stablehlo.subtract %153, %151 : tensor<26xf32>
    %155 = stablehlo.convert %cst_41 : (tensor<1xf64>) -> tensor<1xf32>
    %156 = stablehlo.reshape %155 : (tensor<1xf32>) -> tensor<f32>
    %157 = stablehlo.clamp %156, %154, %cst : (tensor<f32>, tensor<26xf32>, tensor<f32>) -> tensor<26xf32>
    %158 = stablehlo.reshape %157 : (tensor<26xf32>) -> tensor<26x1xf32>
    %159 = stablehlo.convert %158 : (tensor<26x1xf32>) -> tensor<26x1xi64>
    %160 = stablehlo.add %159, %c_8 : tensor<26x1xi64>
    %161 = stablehlo.clamp %c_39, %160, %c_7 : (tensor<i64>, tensor<26x1xi64>, tensor<i64>) -> tensor<26x1xi64>
    %162 = stablehlo.convert %c_6 : (tensor<i64>) -> tensor<f64>
    %163 = stablehlo.divide %162, %0 : tensor<f64>
    %164 = stablehlo.ceil %163 : tensor<f64>
    %165 = stablehlo.convert %164 : (tensor<f64>) -> tensor<i64>
    %166 = stablehlo.reshape %165 : (tensor<i64>) -> tensor<1xi64>
    %167 = stablehlo.dynamic_iota %166, dim = 0 : (tensor<1xi64>) -> tensor<22xi64>
    %168 = stablehlo.multiply %167, %c_5 : tensor<22xi64>
    %169 = stablehlo.add %168, %c_4 : tensor<22xi64>
    %170 = stablehlo.convert %169 : (tensor<22xi64>) -> tensor<22xf32>
    %171 = stablehlo.broadcast_in_dim %150, dims = [] : (tensor<f32>) -> tensor<22xf32>
    %172 = stablehlo.add %170, %171 : tensor<22xf32>
    %173 = stablehlo.multiply %172, %171 : tensor<22xf32>
    %174 = stablehlo.subtract %173, %171 : tensor<22xf32>
    %175 = stablehlo.clamp %156, %174, %cst : (tensor<f32>, tensor<22xf32>, tensor<f32>) -> tensor<22xf32>
    %176 = stablehlo.convert %175 : (tensor<22xf32>) -> tensor<22xi64>
    %177 = stablehlo.add %176, %c_5 : tensor<22xi64>
    %178 = stablehlo.clamp %c_39, %177, %c_45 : (tensor<i64>, tensor<22xi64>, tensor<i64>) -> tensor<22xi64>
    %179 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xi64>) -> tensor<2x3x26x22xi64>
    %180 = stablehlo.reshape %179 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %181 = stablehlo.broadcast_in_dim %31, dims = [1, 2, 3] : (tensor<3x1x1xi64>) -> tensor<2x3x26x22xi64>
    %182 = stablehlo.reshape %181 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %183 = stablehlo.broadcast_in_dim %159, dims = [2, 3] : (tensor<26x1xi64>) -> tensor<2x3x26x22xi64>
    %184 = stablehlo.reshape %183 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %185 = stablehlo.broadcast_in_dim %176, dims = [3] : (tensor<22xi64>) -> tensor<2x3x26x22xi64>
    %186 = stablehlo.reshape %185 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %187 = stablehlo.concatenate %180, %182, %184, %186, dim = 4 : (tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>) -> tensor<2x3x26x22x4xi64>
    %188 = "stablehlo.gather"(%139, %187) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x13x11xf32>, tensor<2x3x26x22x4xi64>) -> tensor<2x3x26x22xf32>
    %189 = stablehlo.broadcast_in_dim %178, dims = [3] : (tensor<22xi64>) -> tensor<2x3x26x22xi64>
    %190 = stablehlo.reshape %189 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %191 = stablehlo.concatenate %180, %182, %184, %190, dim = 4 : (tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>) -> tensor<2x3x26x22x4xi64>
    %192 = "stablehlo.gather"(%139, %191) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x13x11xf32>, tensor<2x3x26x22x4xi64>) -> tensor<2x3x26x22xf32>
    %193 = stablehlo.broadcast_in_dim %161, dims = [2, 3] : (tensor<26x1xi64>) -> tensor<2x3x26x22xi64>
    %194 = stablehlo.reshape %193 : (tensor<2x3x26x22xi64>) -> tensor<2x3x26x22x1xi64>
    %195 = stablehlo.concatenate %180, %182, %194, %186, dim = 4 : (tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>) -> tensor<2x3x26x22x4xi64>
    %196 = "stablehlo.gather"(%139, %195) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x13x11xf32>, tensor<2x3x26x22x4xi64>) -> tensor<2x3x26x22xf32>
    %197 = stablehlo.concatenate %180, %182, %194, %190, dim = 4 : (tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>, tensor<2x3x26x22x1xi64>) -> tensor<2x3x26x22x4xi64>
    %198 = "stablehlo.gather"(%139, %197) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x13x11xf32>, tensor<2x3x26x22x4xi64>) -> tensor<2x3x26x22xf32>
    %199 = stablehlo.convert %176 : (tensor<22xi64>) -> tensor<22xf32>
    %200 = stablehlo.subtract %175, %199 : tensor<22xf32>
    %201 = stablehlo.convert %cst_42 : (tensor<1xf64>) -> tensor<1xf32>
    %202 = stablehlo.reshape %201 : (tensor<1xf32>) -> tensor<f32>
    %203 = stablehlo.clamp %156, %200, %202 : (tensor<f32>, tensor<22xf32>, tensor<f32>) -> tensor<22xf32>
    %204 = stablehlo.subtract %192, %188 : tensor<2x3x26x22xf32>
    %205 = stablehlo.broadcast_in_dim %203, dims = [3] : (tensor<22xf32>) -> tensor<2x3x26x22xf32>
    %206 = stablehlo.multiply %204, %205 : tensor<2x3x26x22xf32>
    %207 = stablehlo.add %188, %206 : tensor<2x3x26x22xf32>
    %208 = stablehlo.subtract %198, %196 : tensor<2x3x26x22xf32>
    %209 = stablehlo.multiply %208, %205 : tensor<2x3x26x22xf32>
    %210 = stablehlo.add %196, %209 : tensor<2x3x26x22xf32>
    %211 = stablehlo.convert %159 : (tensor<26x1xi64>) -> tensor<26x1xf32>
    %212 = stablehlo.subtract %158, %211 : tensor<26x1xf32>
    %213 = stablehlo.clamp %156, %212, %202 : (tensor<f32>, tensor<26x1xf32>, tensor<f32>) -> tensor<26x1xf32>
    %214 = stablehlo.subtract %210, %207 : tensor<2x3x26x22xf32>
    %215 = stablehlo.broadcast_in_dim %213, dims = [2, 3] : (tensor<26x1xf32>) -> tensor<2x3x26x22xf32>
    %216 = stablehlo.multiply %214, %215 : tensor<2x3x26x22xf32>
    %217 = stablehlo.add %207, %216 : tensor<2x3x26x22xf32>
    %218 = stablehlo.convert %c_28 : (tensor<i64>) -> tensor<f64>
    %219 = stablehlo.convert %c_3 : (tensor<i64>) -> tensor<f64>
    %220 = stablehlo.divide %219, %218 : tensor<f64>
    %221 = stablehlo.ceil %220 : tensor<f64>
    %222 = stablehlo.convert %221 : (tensor<f64>) -> tensor<i64>
    %223 = stablehlo.reshape %222 : (tensor<i64>) -> tensor<1xi64>
    %224 = stablehlo.dynamic_iota %223, dim = 0 : (tensor<1xi64>) -> tensor<12xi64>
    %225 = stablehlo.multiply %224, %c_2 : tensor<12xi64>
    %226 = stablehlo.add %225, %c_1 : tensor<12xi64>
    %227 = stablehlo.reshape %226 : (tensor<12xi64>) -> tensor<1x12xi64>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1] : (tensor<1x12xi64>) -> tensor<3x12xi64>
    %229 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<3x1xi64>) -> tensor<3x12xi64>
    %230 = stablehlo.add %228, %229 : tensor<3x12xi64>
    %231 = stablehlo.convert %c_0 : (tensor<i64>) -> tensor<f64>
    %232 = stablehlo.divide %231, %218 : tensor<f64>
    %233 = stablehlo.ceil %232 : tensor<f64>
    %234 = stablehlo.convert %233 : (tensor<f64>) -> tensor<i64>
    %235 = stablehlo.reshape %234 : (tensor<i64>) -> tensor<1xi64>
    %236 = stablehlo.dynamic_iota %235, dim = 0 : (tensor<1xi64>) -> tensor<10xi64>
    %237 = stablehlo.multiply %236, %c : tensor<10xi64>
    %238 = stablehlo.add %237, %c_21 : tensor<10xi64>
    %239 = stablehlo.reshape %238 : (tensor<10xi64>) -> tensor<1x10xi64>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1] : (tensor<1x10xi64>) -> tensor<3x10xi64>
    %241 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<3x1xi64>) -> tensor<3x10xi64>
    %242 = stablehlo.add %240, %241 : tensor<3x10xi64>
    %243 = stablehlo.pad %217, %156, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x3x26x22xf32>, tensor<f32>) -> tensor<2x3x26x22xf32>
    %244 = stablehlo.reshape %230 : (tensor<3x12xi64>) -> tensor<3x12x1xi64>
    %245 = stablehlo.reshape %244 : (tensor<3x12x1xi64>) -> tensor<3x12x1x1xi64>
    %246 = stablehlo.reshape %31 : (tensor<3x1x1xi64>) -> tensor<3x1x1x1xi64>
    %247 = stablehlo.reshape %246 : (tensor<3x1x1x1xi64>) -> tensor<3x1x1x1x1xi64>
    %248 = stablehlo.reshape %42 : (tensor<2x1x1x1xi64>) -> tensor<2x1x1x1x1xi64>
    %249 = stablehlo.reshape %248 : (tensor<2x1x1x1x1xi64>) -> tensor<2x1x1x1x1x1xi64>
    %250 = stablehlo.broadcast_in_dim %249, dims = [0, 1, 2, 3, 4, 5] : (tensor<2x1x1x1x1x1xi64>) -> tensor<2x3x3x12x3x10xi64>
    %251 = stablehlo.reshape %250 : (tensor<2x3x3x12x3x10xi64>) -> tensor<2x3x3x12x3x10x1xi64>
    %252 = stablehlo.broadcast_in_dim %247, dims = [1, 2, 3, 4, 5] : (tensor<3x1x1x1x1xi64>) -> tensor<2x3x3x12x3x10xi64>
    %253 = stablehlo.reshape %252 : (tensor<2x3x3x12x3x10xi64>) -> tensor<2x3x3x12x3x10x1xi64>
    %254 = stablehlo.broadcast_in_dim %245, dims = [2, 3, 4, 5] : (tensor<3x12x1x1xi64>) -> tensor<2x3x3x12x3x10xi64>
    %255 = stablehlo.reshape %254 : (tensor<2x3x3x12x3x10xi64>) -> tensor<2x3x3x12x3x10x1xi64>
    %256 = stablehlo.broadcast_in_dim %242, dims = [4, 5] : (tensor<3x10xi64>) -> tensor<2x3x3x12x3x10xi64>
    %257 = stablehlo.reshape %256 : (tensor<2x3x3x12x3x10xi64>) -> tensor<2x3x3x12x3x10x1xi64>
    %258 = stablehlo.concatenate %251, %253, %255, %257, dim = 6 : (tensor<2x3x3x12x3x10x1xi64>, tensor<2x3x3x12x3x10x1xi64>, tensor<2x3x3x12x3x10x1xi64>, tensor<2x3x3x12x3x10x1xi64>) -> tensor<2x3x3x12x3x10x4xi64>
    %259 = "stablehlo.gather"(%243, %258) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 6>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x26x22xf32>, tensor<2x3x3x12x3x10x4xi64>) -> tensor<2x3x3x12x3x10xf32>
    %260 = stablehlo.transpose %259, dims = [0, 1, 2, 4, 3, 5] : (tensor<2x3x3x12x3x10xf32>) -> tensor<2x3x3x3x12x10xf32>
    %261 = stablehlo.reshape %260 : (tensor<2x3x3x3x12x10xf32>) -> tensor<2x27x120xf32>
    return %261 : tensor<2x27x120xf32>
  }
}
