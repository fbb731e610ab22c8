// Attention of bf16 and f16, which the tensor cores of an sm_90a GPU multiply in tiles.

// Rows of 200 bytes, of which the launch makes padded copies; columns that fill up what is multiplied are not stored, here and for a number that is odd.
// types: bf16 f16
func.func @heads_of_100(%q: tensor<1x2x70x100xbf16>, %k: tensor<1x2x90x100xbf16>, %v: tensor<1x2x90x100xbf16>) -> tensor<1x2x70x100xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.1 {causal} : tensor<1x2x70x100xbf16>, tensor<1x2x90x100xbf16>, tensor<1x2x90x100xbf16> -> tensor<1x2x70x100xbf16>
  return %0 : tensor<1x2x70x100xbf16>
}

func.func @heads_of_33(%q: tensor<2x70x33xbf16>, %k: tensor<2x90x33xbf16>, %v: tensor<2x90x47xbf16>) -> tensor<2x70x47xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.6 : tensor<2x70x33xbf16>, tensor<2x90x33xbf16>, tensor<2x90x47xbf16> -> tensor<2x70x47xbf16>
  return %0 : tensor<2x70x47xbf16>
}

// Blocks share the keys of few tiles, and the last one has columns that fill up.
func.func @decode_of_28(%q: tensor<2x2x1x28xbf16>, %k: tensor<2x2x700x28xbf16>, %v: tensor<2x2x700x28xbf16>) -> tensor<2x2x1x28xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.7 : tensor<2x2x1x28xbf16>, tensor<2x2x700x28xbf16>, tensor<2x2x700x28xbf16> -> tensor<2x2x1x28xbf16>
  return %0 : tensor<2x2x1x28xbf16>
}

// Rows that are as far apart as the call says, and heads between them.
// sizes: s0=64,s1=70 s0=67,s1=70 s0=72,s1=33
func.func @any_pitch(%q: tensor<2x3x?x64xbf16, #tc.sizes<[2, 3, s1, 64]>> {tc.strides = [#tc.expr<s0 * s1 * 3>, #tc.expr<s0 * s1>, #tc.expr<s0>, #tc.expr<1>]}, %k: tensor<2x3x80x64xbf16> {tc.strides = [#tc.expr<s0 * 240>, #tc.expr<s0>, #tc.expr<s0 * 3>, #tc.expr<1>]}, %v: tensor<2x3x80x64xbf16> {tc.strides = [#tc.expr<s0 * 240>, #tc.expr<s0 * 80>, #tc.expr<s0>, #tc.expr<1>]}) -> tensor<2x3x?x64xbf16, #tc.sizes<[2, 3, s1, 64]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 64, max = 1000>, #tc.symbol<"s1", min = 1, max = 1000>]} {
  %0 = tc.attention %q, %k, %v scale 0.5 : tensor<2x3x?x64xbf16, #tc.sizes<[2, 3, s1, 64]>>, tensor<2x3x80x64xbf16>, tensor<2x3x80x64xbf16> -> tensor<2x3x?x64xbf16, #tc.sizes<[2, 3, s1, 64]>>
  return %0 : tensor<2x3x?x64xbf16, #tc.sizes<[2, 3, s1, 64]>>
}

// One query of heads that share keys: the heads are rows of a tile, whose keys blocks share. So with a bias of each head.
// types: bf16 f16
func.func @decode(%q: tensor<2x12x1x64xbf16>, %k: tensor<2x3x700x64xbf16>, %v: tensor<2x3x700x64xbf16>) -> tensor<2x12x1x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 : tensor<2x12x1x64xbf16>, tensor<2x3x700x64xbf16>, tensor<2x3x700x64xbf16> -> tensor<2x12x1x64xbf16>
  return %0 : tensor<2x12x1x64xbf16>
}

func.func @decode_with_bias(%q: tensor<2x8x1x80xbf16>, %k: tensor<2x2x300x80xbf16>, %v: tensor<2x2x300x80xbf16>, %m: tensor<2x8x1x300xbf16>) -> tensor<2x8x1x80xbf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<2x8x1x300xbf16> scale 0.5 : tensor<2x8x1x80xbf16>, tensor<2x2x300x80xbf16>, tensor<2x2x300x80xbf16> -> tensor<2x8x1x80xbf16>
  return %0 : tensor<2x8x1x80xbf16>
}

// Some queries, whose number is no power of two, and which keys count by the query.
func.func @drafts(%q: tensor<2x12x5x64xbf16>, %k: tensor<2x2x200x64xbf16>, %v: tensor<2x2x200x64xbf16>) -> tensor<2x12x5x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 {causal} : tensor<2x12x5x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16> -> tensor<2x12x5x64xbf16>
  return %0 : tensor<2x12x5x64xbf16>
}

// More rows than a tile has: 17 queries of 8 heads, which all share, and a mask of each query.
func.func @prompt(%q: tensor<2x8x17x64xbf16>, %k: tensor<2x1x200x64xbf16>, %v: tensor<2x1x200x64xbf16>, %m: tensor<17x200xbf16>) -> tensor<2x8x17x64xbf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<17x200xbf16> scale 0.5 : tensor<2x8x17x64xbf16>, tensor<2x1x200x64xbf16>, tensor<2x1x200x64xbf16> -> tensor<2x8x17x64xbf16>
  return %0 : tensor<2x8x17x64xbf16>
}
