// Products of bf16 and f16, which the tensor cores of an sm_90a GPU multiply in tiles. Those of 8 bits are in tensor-cores-8-bits.mlir.

// types: bf16 f16
func.func @linear(%x: tensor<200x72xbf16>, %w: tensor<136x72xbf16>, %b: tensor<136xbf16>) -> tensor<200x136xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<200x72xbf16>, tensor<136x72xbf16> -> tensor<200x136xbf16>
  %d = tc.broadcast %b dims [1] : tensor<136xbf16> -> tensor<200x136xbf16>
  %s = tc.add %c, %d : tensor<200x136xbf16>
  %r = tc.gelu %s : tensor<200x136xbf16>
  return %r : tensor<200x136xbf16>
}

// Both matrices are contiguous along their own dimensions; so is one of them.
func.func @across(%a: tensor<264x136xbf16>, %b: tensor<264x200xbf16>) -> tensor<136x200xbf16> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<264x136xbf16>, tensor<264x200xbf16> -> tensor<136x200xbf16>
  return %c : tensor<136x200xbf16>
}

func.func @rows_across(%a: tensor<72x200xf16>, %b: tensor<99x72xf16>) -> tensor<200x99xf16> {
  %c = tc.contract "km,nk->mn" %a, %b : tensor<72x200xf16>, tensor<99x72xf16> -> tensor<200x99xf16>
  return %c : tensor<200x99xf16>
}

func.func @lanes_across(%a: tensor<300x200xbf16>, %b: tensor<200x72xbf16>) -> tensor<300x72xbf16> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<300x200xbf16>, tensor<200x72xbf16> -> tensor<300x72xbf16>
  return %c : tensor<300x72xbf16>
}

// A batch, whose matrices end inside of tiles, and what is added varies over it.
func.func @batched(%a: tensor<3x65x72xbf16>, %b: tensor<3x72x136xbf16>, %r: tensor<3x65x136xbf16>) -> tensor<3x65x136xbf16> {
  %c = tc.contract "bmk,bkn->bmn" %a, %b : tensor<3x65x72xbf16>, tensor<3x72x136xbf16> -> tensor<3x65x136xbf16>
  %s = tc.add %c, %r : tensor<3x65x136xbf16>
  return %s : tensor<3x65x136xbf16>
}

// Heads: a batch of two dimensions, of which one is inside of the rows.
func.func @heads(%q: tensor<2x70x4x64xbf16>, %k: tensor<2x50x4x64xbf16>) -> tensor<2x4x70x50xbf16> {
  %c = tc.contract "bmhk,bnhk->bhmn" %q, %k : tensor<2x70x4x64xbf16>, tensor<2x50x4x64xbf16> -> tensor<2x4x70x50xbf16>
  return %c : tensor<2x4x70x50xbf16>
}

// Rows of two dimensions, of one matrix for all.
func.func @tokens(%x: tensor<3x50x64xbf16>, %w: tensor<128x64xbf16>, %s: tensor<3x50xf32>) -> tensor<3x50x128xf32> {
  %c = tc.contract "bmk,nk->bmn" %x, %w : tensor<3x50x64xbf16>, tensor<128x64xbf16> -> tensor<3x50x128xbf16>
  %f = tc.cast %c : tensor<3x50x128xbf16> to tensor<3x50x128xf32>
  %t = tc.broadcast %s dims [0, 1] : tensor<3x50xf32> -> tensor<3x50x128xf32>
  %r = tc.mul %f, %t : tensor<3x50x128xf32>
  return %r : tensor<3x50x128xf32>
}

// Tiles that are whole, that lack a row or have one more; and no rows at all.
// sizes: m=0,n=64 m=1,n=1 m=7,n=33 m=127,n=127 m=128,n=128 m=129,n=129 m=300,n=65
func.func @any_size(%x: tensor<?x64xbf16, #tc.sizes<[m, 64]>>, %w: tensor<?x64xbf16, #tc.sizes<[n, 64]>>) -> tensor<?x?xbf16, #tc.sizes<[m, n]>> attributes {tc.symbols = [#tc.symbol<"m", min = 0, max = 4096>, #tc.symbol<"n", min = 0, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<?x64xbf16, #tc.sizes<[m, 64]>>, tensor<?x64xbf16, #tc.sizes<[n, 64]>> -> tensor<?x?xbf16, #tc.sizes<[m, n]>>
  return %c : tensor<?x?xbf16, #tc.sizes<[m, n]>>
}

// sizes: m=1,k=8 m=128,k=64 m=130,k=72 m=64,k=1024
func.func @any_sum(%x: tensor<?x?xbf16, #tc.sizes<[m, k]>>, %w: tensor<128x?xbf16, #tc.sizes<[128, k]>>, %b: tensor<128xf32>) -> tensor<?x128xbf16, #tc.sizes<[m, 128]>> attributes {tc.symbols = [#tc.symbol<"m", min = 0, max = 4096>, #tc.symbol<"k", min = 8, max = 4096, divisor = 8>]} {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<?x?xbf16, #tc.sizes<[m, k]>>, tensor<128x?xbf16, #tc.sizes<[128, k]>> -> tensor<?x128xbf16, #tc.sizes<[m, 128]>>
  %r = tc.relu %c : tensor<?x128xbf16, #tc.sizes<[m, 128]>>
  return %r : tensor<?x128xbf16, #tc.sizes<[m, 128]>>
}

// Two results of one product.
func.func @two(%x: tensor<130x64xbf16>, %w: tensor<128x64xbf16>) -> (tensor<130x128xbf16>, tensor<130x128xf32>) {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<130x64xbf16>, tensor<128x64xbf16> -> tensor<130x128xbf16>
  %r = tc.relu %c : tensor<130x128xbf16>
  %f = tc.cast %c : tensor<130x128xbf16> to tensor<130x128xf32>
  return %r, %f : tensor<130x128xbf16>, tensor<130x128xf32>
}
