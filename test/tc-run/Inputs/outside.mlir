// A kernel whose index is outside of its buffer between the domain's corners, by symbols.
func.func @main(%x: tensor<8xf32>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %0 = tc.empty : tensor<4x?xf32, #tc.sizes<[4, s0]>>
  %1 = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, s0>] ins(%a = %x : tensor<8xf32>) outs(%o = %0 : tensor<4x?xf32, #tc.sizes<[4, s0]>>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0 + d1)>] : tensor<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x?xf32, #tc.sizes<[4, s0]>>
  }
  return %1 : tensor<4x?xf32, #tc.sizes<[4, s0]>>
}
