tc.parameter_source @w : tensor<64x64xf32> {file = "weights.bin", offset = 0 : i64, role = "parameter"}
tc.parameter_source @v : tensor<32x32xf32> {file = "weights.bin", offset = 64 : i64, role = "parameter"}

func.func @fixed(%x: tensor<40x64xf32>, %h: tensor<40x64xbf16>) -> (tensor<40x64xf32>, tensor<40x64xbf16>) {
  %w = tc.parameter @w : tensor<64x64xf32>
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<40x64xf32>, tensor<64x64xf32> -> tensor<40x64xf32>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<40x64xf32>, tensor<64x64xf32> -> tensor<40x64xf32>
  %v = tc.cast %w : tensor<64x64xf32> to tensor<64x64xbf16>
  %2 = tc.contract "mk,nk->mn" %h, %v : tensor<40x64xbf16>, tensor<64x64xbf16> -> tensor<40x64xbf16>
  %3 = tc.contract "mk,kn->mn" %2, %v : tensor<40x64xbf16>, tensor<64x64xbf16> -> tensor<40x64xbf16>
  return %1, %3 : tensor<40x64xf32>, tensor<40x64xbf16>
}

func.func @batch(%x: tensor<?x32xf32, #tc.sizes<[s0, 32]>>) -> tensor<?x32xf32, #tc.sizes<[s0, 32]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1024>]} {
  %v = tc.parameter @v : tensor<32x32xf32>
  %0 = tc.contract "mk,nk->mn" %x, %v : tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #tc.sizes<[s0, 32]>>
  %1 = tc.contract "mk,nk->mn" %0, %v : tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #tc.sizes<[s0, 32]>>
  %2 = tc.add %1, %x : tensor<?x32xf32, #tc.sizes<[s0, 32]>>
  return %2 : tensor<?x32xf32, #tc.sizes<[s0, 32]>>
}
