// Weights of i8 with a scale for each group of what is summed over: on a GPU a product of few rows computes them on its tile.

// types: bf16 f16
// sizes: m=1 m=16
func.func @groups(%x: tensor<?x256xbf16, #tc.sizes<[m, 256]>>, %w: tensor<200x256xi8>, %s: tensor<200x2x1xbf16>) -> tensor<?x200xbf16, #tc.sizes<[m, 200]>> attributes {tc.symbols = [#tc.symbol<"m", min = 1, max = 4096>]} {
  %g = tc.reshape %w : tensor<200x256xi8> -> tensor<200x2x128xi8>
  %c = tc.cast %g : tensor<200x2x128xi8> to tensor<200x2x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<200x2x1xbf16> -> tensor<200x2x128xbf16>
  %p = tc.mul %c, %b : tensor<200x2x128xbf16>
  %r = tc.reshape %p : tensor<200x2x128xbf16> -> tensor<200x256xbf16>
  %y = tc.contract "mk,nk->mn" %x, %r : tensor<?x256xbf16, #tc.sizes<[m, 256]>>, tensor<200x256xbf16> -> tensor<?x200xbf16, #tc.sizes<[m, 200]>>
  return %y : tensor<?x200xbf16, #tc.sizes<[m, 200]>>
}

func.func @few_rows(%x: tensor<40x512xbf16>, %w: tensor<136x512xi8>, %s: tensor<136x4x1xbf16>) -> tensor<40x136xbf16> {
  %g = tc.reshape %w : tensor<136x512xi8> -> tensor<136x4x128xi8>
  %c = tc.cast %g : tensor<136x4x128xi8> to tensor<136x4x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<136x4x1xbf16> -> tensor<136x4x128xbf16>
  %p = tc.mul %c, %b : tensor<136x4x128xbf16>
  %r = tc.reshape %p : tensor<136x4x128xbf16> -> tensor<136x512xbf16>
  %y = tc.contract "mk,nk->mn" %x, %r : tensor<40x512xbf16>, tensor<136x512xbf16> -> tensor<40x136xbf16>
  return %y : tensor<40x136xbf16>
}

// Weights of 4 bits, two of a byte, are pairs of i8 ahead of the calls; pairs are no dimension of the product.
func.func @pairs(%x: tensor<16x512xbf16>, %w: tensor<136x256x2xi8>, %s: tensor<136x4x1xbf16>) -> tensor<16x136xbf16> {
  %c = tc.cast %w : tensor<136x256x2xi8> to tensor<136x256x2xbf16>
  %g = tc.reshape %c : tensor<136x256x2xbf16> -> tensor<136x4x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<136x4x1xbf16> -> tensor<136x4x128xbf16>
  %p = tc.mul %g, %b : tensor<136x4x128xbf16>
  %r = tc.reshape %p : tensor<136x4x128xbf16> -> tensor<136x512xbf16>
  %y = tc.contract "mk,nk->mn" %x, %r : tensor<16x512xbf16>, tensor<136x512xbf16> -> tensor<16x136xbf16>
  return %y : tensor<16x136xbf16>
}
func.func @pairs_of_one_row(%x: tensor<1x512xbf16>, %w: tensor<136x256x2xi8>, %s: tensor<136x4x1xbf16>) -> tensor<1x136xbf16> {
  %c = tc.cast %w : tensor<136x256x2xi8> to tensor<136x256x2xbf16>
  %g = tc.reshape %c : tensor<136x256x2xbf16> -> tensor<136x4x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<136x4x1xbf16> -> tensor<136x4x128xbf16>
  %p = tc.mul %g, %b : tensor<136x4x128xbf16>
  %r = tc.reshape %p : tensor<136x4x128xbf16> -> tensor<136x512xbf16>
  %y = tc.contract "mk,nk->mn" %x, %r : tensor<1x512xbf16>, tensor<136x512xbf16> -> tensor<1x136xbf16>
  return %y : tensor<1x136xbf16>
}
