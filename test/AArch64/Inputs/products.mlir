// Products of each type, of fixed and symbolic sizes.

func.func @f32(%a: tensor<?x70xf32, #tc.sizes<[s0, 70]>>, %b: tensor<70x45xf32>, %c: tensor<33x70xf32>) -> (tensor<?x45xf32, #tc.sizes<[s0, 45]>>, tensor<33x45xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<?x70xf32, #tc.sizes<[s0, 70]>>, tensor<70x45xf32> -> tensor<?x45xf32, #tc.sizes<[s0, 45]>>
  %1 = tc.contract "mk,kn->mn" %c, %b : tensor<33x70xf32>, tensor<70x45xf32> -> tensor<33x45xf32>
  return %0, %1 : tensor<?x45xf32, #tc.sizes<[s0, 45]>>, tensor<33x45xf32>
}

func.func @f64(%a: tensor<?x70xf64, #tc.sizes<[s0, 70]>>, %b: tensor<70x45xf64>, %c: tensor<33x70xf64>) -> (tensor<?x45xf64, #tc.sizes<[s0, 45]>>, tensor<33x45xf64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<?x70xf64, #tc.sizes<[s0, 70]>>, tensor<70x45xf64> -> tensor<?x45xf64, #tc.sizes<[s0, 45]>>
  %1 = tc.contract "mk,kn->mn" %c, %b : tensor<33x70xf64>, tensor<70x45xf64> -> tensor<33x45xf64>
  return %0, %1 : tensor<?x45xf64, #tc.sizes<[s0, 45]>>, tensor<33x45xf64>
}

func.func @bf16(%a: tensor<?x70xbf16, #tc.sizes<[s0, 70]>>, %b: tensor<70x45xbf16>, %c: tensor<33x70xbf16>) -> (tensor<?x45xbf16, #tc.sizes<[s0, 45]>>, tensor<33x45xbf16>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<?x70xbf16, #tc.sizes<[s0, 70]>>, tensor<70x45xbf16> -> tensor<?x45xbf16, #tc.sizes<[s0, 45]>>
  %1 = tc.contract "mk,kn->mn" %c, %b : tensor<33x70xbf16>, tensor<70x45xbf16> -> tensor<33x45xbf16>
  return %0, %1 : tensor<?x45xbf16, #tc.sizes<[s0, 45]>>, tensor<33x45xbf16>
}

func.func @f16(%a: tensor<?x70xf16, #tc.sizes<[s0, 70]>>, %b: tensor<70x45xf16>, %c: tensor<33x70xf16>) -> (tensor<?x45xf16, #tc.sizes<[s0, 45]>>, tensor<33x45xf16>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<?x70xf16, #tc.sizes<[s0, 70]>>, tensor<70x45xf16> -> tensor<?x45xf16, #tc.sizes<[s0, 45]>>
  %1 = tc.contract "mk,kn->mn" %c, %b : tensor<33x70xf16>, tensor<70x45xf16> -> tensor<33x45xf16>
  return %0, %1 : tensor<?x45xf16, #tc.sizes<[s0, 45]>>, tensor<33x45xf16>
}
