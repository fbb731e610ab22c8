// Products of f32, which the threads of a GPU multiply in tiles. Those of tensor cores are in tensor-cores.mlir.

func.func @linear(%x: tensor<200x76xf32>, %w: tensor<136x76xf32>, %b: tensor<136xf32>) -> tensor<200x136xf32> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<200x76xf32>, tensor<136x76xf32> -> tensor<200x136xf32>
  %d = tc.broadcast %b dims [1] : tensor<136xf32> -> tensor<200x136xf32>
  %s = tc.add %c, %d : tensor<200x136xf32>
  %r = tc.gelu %s : tensor<200x136xf32>
  return %r : tensor<200x136xf32>
}

// Both matrices are contiguous along their own dimensions; so is one of them.
func.func @across(%a: tensor<132x136xf32>, %b: tensor<132x200xf32>) -> tensor<136x200xf32> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<132x136xf32>, tensor<132x200xf32> -> tensor<136x200xf32>
  return %c : tensor<136x200xf32>
}

func.func @rows_across(%a: tensor<72x200xf32>, %b: tensor<99x72xf32>) -> tensor<200x99xf32> {
  %c = tc.contract "km,nk->mn" %a, %b : tensor<72x200xf32>, tensor<99x72xf32> -> tensor<200x99xf32>
  return %c : tensor<200x99xf32>
}

func.func @lanes_across(%a: tensor<300x100xf32>, %b: tensor<100x72xf32>) -> tensor<300x72xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<300x100xf32>, tensor<100x72xf32> -> tensor<300x72xf32>
  return %c : tensor<300x72xf32>
}

// Of few rows: 16 of a warp, two warps of each box where they are across.
func.func @few_rows(%a: tensor<512x40xf32>, %b: tensor<512x64xf32>) -> tensor<40x64xf32> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<512x40xf32>, tensor<512x64xf32> -> tensor<40x64xf32>
  return %c : tensor<40x64xf32>
}

// Scores of heads, and what they weigh: a batch whose matrices end inside of tiles.
func.func @scores(%q: tensor<2x70x4x36xf32>, %k: tensor<2x50x4x36xf32>) -> tensor<2x4x70x50xf32> {
  %c = tc.contract "bmhk,bnhk->bhmn" %q, %k : tensor<2x70x4x36xf32>, tensor<2x50x4x36xf32> -> tensor<2x4x70x50xf32>
  return %c : tensor<2x4x70x50xf32>
}

func.func @weighted(%p: tensor<3x65x72xf32>, %v: tensor<3x72x136xf32>, %r: tensor<3x65x136xf32>) -> tensor<3x65x136xf32> {
  %c = tc.contract "bmk,bkn->bmn" %p, %v : tensor<3x65x72xf32>, tensor<3x72x136xf32> -> tensor<3x65x136xf32>
  %s = tc.add %c, %r : tensor<3x65x136xf32>
  return %s : tensor<3x65x136xf32>
}

// Rows that no copies of 16 bytes may begin at.
func.func @odd(%a: tensor<130x75xf32>, %b: tensor<75x131xf32>) -> tensor<130x131xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<130x75xf32>, tensor<75x131xf32> -> tensor<130x131xf32>
  return %c : tensor<130x131xf32>
}

// One of the matrices is computed from what is read.
func.func @computed(%x: tensor<200x64xbf16>, %w: tensor<96x64xf32>) -> tensor<200x96xf32> {
  %f = tc.cast %x : tensor<200x64xbf16> to tensor<200x64xf32>
  %c = tc.contract "mk,nk->mn" %f, %w : tensor<200x64xf32>, tensor<96x64xf32> -> tensor<200x96xf32>
  return %c : tensor<200x96xf32>
}

// Tiles that are whole, that lack a row or have one more; and no rows at all.
// sizes: m=0,n=64,k=64 m=1,n=1,k=8 m=127,n=127,k=32 m=128,n=128,k=36 m=129,n=129,k=65
func.func @any_size(%x: tensor<?x?xf32, #tc.sizes<[m, k]>>, %w: tensor<?x?xf32, #tc.sizes<[n, k]>>) -> tensor<?x?xf32, #tc.sizes<[m, n]>> attributes {tc.symbols = [#tc.symbol<"m", min = 0, max = 4096>, #tc.symbol<"n", min = 0, max = 4096>, #tc.symbol<"k", min = 1, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<?x?xf32, #tc.sizes<[m, k]>>, tensor<?x?xf32, #tc.sizes<[n, k]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %c : tensor<?x?xf32, #tc.sizes<[m, n]>>
}
