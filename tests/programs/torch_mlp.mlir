module {
  func.func @main(%arg0: tensor<5x12xf32>) -> tensor<5x4xf32> {
    %cst = stablehlo.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_4_24_torch.float32> : tensor<4x24xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_24_torch.float32_2> : tensor<24xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_24_torch.float32_1> : tensor<24xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_24_torch.float32> : tensor<24xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_24_12_torch.float32> : tensor<24x12xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_8 = arith.constant dense<1> : tensor<1xi64>
    %cst_9 = arith.constant dense<24> : tensor<1xi64>
    %cst_10 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %0 = stablehlo.transpose %cst_4, dims = [1, 0] : (tensor<24x12xf32>) -> tensor<12x24xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<5x12xf32>, tensor<12x24xf32>) -> tensor<5x24xf32>
    %2 = stablehlo.convert %cst_8 : (tensor<1xi64>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<5x24xf32>
    %5 = stablehlo.multiply %1, %4 : tensor<5x24xf32>
    %6 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %7 = stablehlo.multiply %6, %cst_3 : tensor<24xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<24xf32>) -> tensor<5x24xf32>
    %9 = stablehlo.add %5, %8 : tensor<5x24xf32>
    %10 = stablehlo.logistic %9 : tensor<5x24xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<5x24xf32>
    %12 = stablehlo.convert %11 : (tensor<5x24xf32>) -> tensor<5x24xf64>
    %13 = stablehlo.reduce(%12 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<5x24xf64>, tensor<f64>) -> tensor<5xf64>
    %14 = stablehlo.reshape %13 : (tensor<5xf64>) -> tensor<5x1xf64>
    %15 = stablehlo.convert %cst_9 : (tensor<1xi64>) -> tensor<1xf64>
    %16 = stablehlo.reshape %15 : (tensor<1xf64>) -> tensor<f64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f64>) -> tensor<5x1xf64>
    %18 = stablehlo.divide %14, %17 : tensor<5x1xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x24xf64>
    %20 = stablehlo.subtract %12, %19 : tensor<5x24xf64>
    %21 = stablehlo.multiply %20, %20 : tensor<5x24xf64>
    %22 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<5x24xf64>, tensor<f64>) -> tensor<5xf64>
    %23 = stablehlo.reshape %22 : (tensor<5xf64>) -> tensor<5x1xf64>
    %24 = stablehlo.divide %23, %17 : tensor<5x1xf64>
    %25 = stablehlo.convert %24 : (tensor<5x1xf64>) -> tensor<5x1xf32>
    %26 = stablehlo.reduce(%11 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<5x24xf32>, tensor<f32>) -> tensor<5xf32>
    %27 = stablehlo.reshape %26 : (tensor<5xf32>) -> tensor<5x1xf32>
    %28 = stablehlo.convert %cst_9 : (tensor<1xi64>) -> tensor<1xf32>
    %29 = stablehlo.reshape %28 : (tensor<1xf32>) -> tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %31 = stablehlo.divide %27, %30 : tensor<5x1xf32>
    %32 = stablehlo.convert %cst_10 : (tensor<1xf64>) -> tensor<1xf32>
    %33 = stablehlo.reshape %32 : (tensor<1xf32>) -> tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %35 = stablehlo.add %25, %34 : tensor<5x1xf32>
    %36 = stablehlo.rsqrt %35 : tensor<5x1xf32>
    %37 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x24xf32>
    %38 = stablehlo.subtract %11, %37 : tensor<5x24xf32>
    %39 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x24xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<5x24xf32>
    %41 = stablehlo.broadcast_in_dim %cst_2, dims = [1] : (tensor<24xf32>) -> tensor<5x24xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<5x24xf32>
    %43 = stablehlo.broadcast_in_dim %cst_1, dims = [1] : (tensor<24xf32>) -> tensor<5x24xf32>
    %44 = stablehlo.add %42, %43 : tensor<5x24xf32>
    %45 = stablehlo.transpose %cst_0, dims = [1, 0] : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %46 = stablehlo.dot_general %44, %45, contracting_dims = [1] x [0] : (tensor<5x24xf32>, tensor<24x4xf32>) -> tensor<5x4xf32>
    %47 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<5x4xf32>
    %49 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.multiply %49, %cst : tensor<4xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
    %52 = stablehlo.add %48, %51 : tensor<5x4xf32>
    %53 = stablehlo.reduce(%52 init: %cst_7) applies stablehlo.maximum across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %54 = stablehlo.reshape %53 : (tensor<5xf32>) -> tensor<5x1xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %56 = stablehlo.subtract %52, %55 : tensor<5x4xf32>
    %57 = stablehlo.exponential %56 : tensor<5x4xf32>
    %58 = stablehlo.reduce(%57 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %59 = stablehlo.reshape %58 : (tensor<5xf32>) -> tensor<5x1xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %61 = stablehlo.divide %57, %60 : tensor<5x4xf32>
    return %61 : tensor<5x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x040000005144EE3DAC643FBEC446BCBD077DC33D",
      torch_tensor_4_24_torch.float32: "0x04000000466B393E466DC73D6CF3FEBDD7491C3D4C4719BEDA0AEA3D840C97BD76DA063EDC6838BEF676D4BD67AAF7BD898DBBBD13439DBD2AC5EB3CD804263D867AE5BB60AC22BE4B46773DA3982C3E58E0973C9ACB023EAE49E83D834FB9BD4713A4BD96CDCABD51D89CBD773EFE3D0847313E4A4583BD09DCA33DA9E2BDBD6F473A3ED4433ABE1C900E3E4956073E889CF8BD2718D1BD566FEDBD67530BBD988D36BE96C4163D87AFCFBDAD98183EEA30F2BD0F251ABE55471FBD34E6C33DC8EA28BC6953163E0FFA9EBDFBB2E3BDB228A03DFB06163D9514033C8C17253EB49C44BEFEA6EB3DFDD5D6BB0A4AE2BD956FA33DB8C549BD1E99893D430E17BE2BF71BBECB080C3CA1953E3D4D45803C70B7EBBDD2EE02BA9E4D32BE558AB23D13A5FBBC7956F63D7C37313D60B0303E0A482FBEC10639BE9928B13D6E126BBD48E5EEBCEE08A43CFCA6973BEC9E33BE233D313E02B5183E22EC36BEE882403E10844FBEE2A4183EDA0BF6BDCA7A23BE1A30C23DD5D2A53C7135123E0C704FBD0A38D83C",
      torch_tensor_24_torch.float32_2: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_24_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_24_torch.float32: "0x04000000F8E635BEFF3D68BE5F42903D90F9CC3D5213ACBD176E943C3F3998BDC16248BE365355BEB9AE583E47E53A3E1ED6673E2C4F4D3E4960723EC27893BEBF9AAF3DA4611DBE6F500EBEE4ED45BEAFF2933D15939B3DAC7E773E697C0C3E8FDF24BE",
      torch_tensor_24_12_torch.float32: "0x04000000E8BC283E26CC0CBE2685923D9C2E3CBDF9E63A3E4081463EFDC3E0BDFF4DB13DD0C959BEE0AD80BEF0CD783E681C243D87CF1E3E183387BEC68B23BEA31D10BEA9A93C3C42B257BE5C40423E779540BE77FB29BB2900793E251FD13D634BD43D6E9B863E1DEB8EBE559B233E59ED02BDA1D81F3EB2D450BECF01EBBD18D606BEFD0C8D3E80BA06BE9FFB0F3E048E12BE25F7803DC671E3BACD06FCBD70846FBE0EC3903EC2A955BEA8D8ED3C2D633BBEC5A08FBD1F1B1F3DB8B3C9BDB346F2BD0F51DC3D38071ABEBF2807BDF8B82FBC27415BBE79D324BE36415EBE8ABD793EAFA04C3D1667033E4D9280BE3CA4913E689227BE0346883E9B7B07BEDE55683DD3467A3EC8B6793DE7CE8FBD45BB82BE9C0241BECA571C3E459CD33C0B9D843E3380F03D224A6F3E4D18E23D5F63133EAFA846BEFF10573E97216B3E7D0F233E302304BE3C4B963D443A88BDFBAE6FBD5D4892BD9D9BB23DFE592E3E722D06BE303FB6BD6B12833EA37B84BE73DC333ED964843EE90BCBBD0AAD8BBE446258BEA26E39BE52FA9C3DED5C48BE6BD15CBEE3F6163D79C5403EC28C343EB2A2F03D69F73B3E7D420F3E1D1B81BEAE654F3EC45C25BEA870E7BD7BCCBA3CDFA7B9BD186962BE8617AB3BF43349BEBD8BFD3DE440D93D872E2E3EC65383BE03FA803C34827FBE75EC07BE319B7FBE479172BEC3D24DBE5E4285BE6804843EF0DB42BE158D31BE33B07A3E643E81BD0FAFC13C23434F3E4858183EEB6C5EBD8F3DC83DF88EE93CA6DC7F3E28BE3CBE32C6363BECF6FABD4F810ABE2195593E08492C3E662988BEAE7C83BE5DDEA83D6DF5493CE91B6D3EC418DCBD47048DBE2A8916BE1E475F3CBB481B3E867E66BE427491BDB3BC5CBE249D25BB165F52BC53EE50BE0B83E9BD959627BE9586D3BD3B5F5FBE07E7133DC6F816BE71AF483EA5CD7FBEF11180BE5D007E3D79AA713D67018F3E2A6E17BE40815FBD786D153E401A6CBEF2CC05BE1E74793E7A0BCEBD9F2E193ED2C1723E15897BBEDA42863E4A377DBE73BB18BEBB930EBEB57B41BDDC5A603E50D333BE06298FBDEBD0BD3DABDF22BE7116C83D4291E3BD5523A23D77B90D3EE62523BE080A6FBEA4BC8B3ECA2D783D7C160FBE98D1C63D7B3D0E3D94DC90BE5D3D65BE0A6BF83D05252BBD18D6D33DFDDBFABDC9F6833C607F863EC8B332BEB505B73C48124F3C6F9D39BE8C6A21BC680634BA831385BE32B1893E9C82883E45F18E3DA0C8853E0A482EBDB9BF87BCCDE166BDD8F436BE13B5263E2608D8BD76AC8F3DBF2E81BEC3A49B3D3870FABCD0B5E43C6FBE2F3E5135313E265386BEAD993F3E786A0EBE2B578B3E9E77163E058DFD3D1CB8843EED1D2ABE283F3BBE5373903E64FD373BF5F2643E67DC943DC355A13D4E5BF13CC9C587BD84A7773DB452923E81A3B8BDEBE003BEE91145BEA3E964BED3866ABE44B2F03D9940873DA6F446BEC5466E3E315C86BE2CB54DBE4DFE6D3E2A4AA93D8F899EBDA330C43CCEC6AEBD1FF229BDB6FA50BE4FD8193E610307BE7E2DBA3DF6EB85BE838150BD3256BABD2585013E2B579FBC1956B43D500DC43D091DE93DDD3EB53DF41445BECACA1B3EE4547F3EECAB15BD6C62FDBD"
    }
  }
#-}
