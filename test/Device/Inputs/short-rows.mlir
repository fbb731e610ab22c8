// Norms of groups of few channels that come last: tc-split-short-rows makes each
// of their folds one of columns and one of rows.

// Two folds, of which the second needs the first.
func.func @group_norm(%x: tensor<2x36x36x64xbf16>, %w: tensor<64xbf16>, %b: tensor<64xbf16>) -> tensor<2x36x36x64xbf16> {
  %0 = tc.transpose %x [0, 3, 1, 2] : tensor<2x36x36x64xbf16> -> tensor<2x64x36x36xbf16>
  %1 = tc.group_norm %0 weight %w : tensor<64xbf16> bias %b : tensor<64xbf16> groups 8 eps 1.0e-5 : tensor<2x64x36x36xbf16>
  %2 = tc.transpose %1 [0, 2, 3, 1] : tensor<2x64x36x36xbf16> -> tensor<2x36x36x64xbf16>
  return %2 : tensor<2x36x36x64xbf16>
}

// The largest of a group's elements, which may be a NaN.
func.func @largest(%x: tensor<512x8x16xf32>) -> tensor<8xf32> {
  %0 = tc.reduce max %x dims [0, 2] : tensor<512x8x16xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
