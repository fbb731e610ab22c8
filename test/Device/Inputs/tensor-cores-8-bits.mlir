// Products of floats of 8 bits, and of i8, which the tensor cores of an sm_90a GPU multiply in tiles.

// As aten._scaled_mm has them: factors of the rows and of the lanes, a bias, and a result of fewer bits.
// types: bf16 f16
func.func @scaled(%x: tensor<200x272xf8E4M3FN>, %w: tensor<136x272xf8E4M3FN>, %s: tensor<200x1xf32>, %t: tensor<1x136xf32>, %b: tensor<136xbf16>) -> tensor<200x136xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<200x272xf8E4M3FN>, tensor<136x272xf8E4M3FN> -> tensor<200x136xf32>
  %p = tc.broadcast %s dims [0, 1] : tensor<200x1xf32> -> tensor<200x136xf32>
  %q = tc.broadcast %t dims [0, 1] : tensor<1x136xf32> -> tensor<200x136xf32>
  %d = tc.mul %c, %p : tensor<200x136xf32>
  %e = tc.mul %d, %q : tensor<200x136xf32>
  %r = tc.cast %e : tensor<200x136xf32> to tensor<200x136xbf16>
  %v = tc.broadcast %b dims [1] : tensor<136xbf16> -> tensor<200x136xbf16>
  %z = tc.add %r, %v : tensor<200x136xbf16>
  return %z : tensor<200x136xbf16>
}

// Two types, of which each may be first.
func.func @mixed(%x: tensor<130x256xf8E4M3FN>, %w: tensor<264x256xf8E5M2>) -> tensor<130x264xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<130x256xf8E4M3FN>, tensor<264x256xf8E5M2> -> tensor<130x264xf32>
  %r = tc.cast %c : tensor<130x264xf32> to tensor<130x264xbf16>
  return %r : tensor<130x264xbf16>
}

// Results are of fewer bits than f32, as the tensor cores' sums of 128 products have about 14.
func.func @mixed_otherwise(%x: tensor<130x256xf8E5M2>, %w: tensor<264x256xf8E4M3FN>) -> tensor<130x264xf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<130x256xf8E5M2>, tensor<264x256xf8E4M3FN> -> tensor<130x264xf32>
  %r = tc.cast %c : tensor<130x264xf32> to tensor<130x264xf16>
  return %r : tensor<130x264xf16>
}

func.func @wide(%x: tensor<136x400xf8E5M2>, %w: tensor<200x400xf8E5M2>) -> tensor<136x200xf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<136x400xf8E5M2>, tensor<200x400xf8E5M2> -> tensor<136x200xf32>
  %r = tc.cast %c : tensor<136x200xf32> to tensor<136x200xf16>
  return %r : tensor<136x200xf16>
}

// Sums of the tensor cores alone.
func.func @fast(%x: tensor<136x400xf8E4M3FN>, %w: tensor<200x400xf8E4M3FN>) -> tensor<136x200xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w fast : tensor<136x400xf8E4M3FN>, tensor<200x400xf8E4M3FN> -> tensor<136x200xf32>
  %r = tc.cast %c : tensor<136x200xf32> to tensor<136x200xbf16>
  return %r : tensor<136x200xbf16>
}

// Matrices that are not contiguous along the sum: threads load them.
// types: f8E4M3FN f8E5M2
func.func @across(%a: tensor<264x136xf8E4M3FN>, %b: tensor<264x200xf8E4M3FN>) -> tensor<136x200xbf16> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<264x136xf8E4M3FN>, tensor<264x200xf8E4M3FN> -> tensor<136x200xf32>
  %r = tc.cast %c : tensor<136x200xf32> to tensor<136x200xbf16>
  return %r : tensor<136x200xbf16>
}

// Rows whose distance is no multiple of 16 bytes.
func.func @odd_pitch(%x: tensor<130x203xf8E4M3FN>, %w: tensor<70x203xf8E4M3FN>) -> tensor<130x70xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<130x203xf8E4M3FN>, tensor<70x203xf8E4M3FN> -> tensor<130x70xf32>
  %r = tc.cast %c : tensor<130x70xf32> to tensor<130x70xbf16>
  return %r : tensor<130x70xbf16>
}

// sizes: m=1,k=16 m=128,k=128 m=130,k=144 m=64,k=1024 m=300,k=203
func.func @any_sum(%x: tensor<?x?xf8E4M3FN, #tc.sizes<[m, k]>>, %w: tensor<128x?xf8E4M3FN, #tc.sizes<[128, k]>>) -> tensor<?x128xbf16, #tc.sizes<[m, 128]>> attributes {tc.symbols = [#tc.symbol<"m", min = 0, max = 4096>, #tc.symbol<"k", min = 1, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<?x?xf8E4M3FN, #tc.sizes<[m, k]>>, tensor<128x?xf8E4M3FN, #tc.sizes<[128, k]>> -> tensor<?x128xf32, #tc.sizes<[m, 128]>>
  %r = tc.cast %c : tensor<?x128xf32, #tc.sizes<[m, 128]>> to tensor<?x128xbf16, #tc.sizes<[m, 128]>>
  return %r : tensor<?x128xbf16, #tc.sizes<[m, 128]>>
}

// A batch, and a tile that blocks of a cluster share.
func.func @batched(%a: tensor<3x65x144xf8E4M3FN>, %b: tensor<3x136x144xf8E4M3FN>) -> tensor<3x65x136xbf16> {
  %c = tc.contract "bmk,bnk->bmn" %a, %b : tensor<3x65x144xf8E4M3FN>, tensor<3x136x144xf8E4M3FN> -> tensor<3x65x136xf32>
  %r = tc.cast %c : tensor<3x65x136xf32> to tensor<3x65x136xbf16>
  return %r : tensor<3x65x136xbf16>
}

func.func @shared_sums(%x: tensor<64x4096xf8E4M3FN>, %w: tensor<128x4096xf8E4M3FN>) -> tensor<64x128xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<64x4096xf8E4M3FN>, tensor<128x4096xf8E4M3FN> -> tensor<64x128xf32>
  %r = tc.cast %c : tensor<64x128xf32> to tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}

// What is multiplied is rounded to 8 bits by threads.
func.func @quantized(%x: tensor<130x256xbf16>, %w: tensor<200x256xf8E4M3FN>, %s: tensor<f32>) -> tensor<130x200xbf16> {
  %f = tc.cast %x : tensor<130x256xbf16> to tensor<130x256xf32>
  %b = tc.broadcast %s dims [] : tensor<f32> -> tensor<130x256xf32>
  %d = tc.mul %f, %b : tensor<130x256xf32>
  %q = tc.cast %d rounds : tensor<130x256xf32> to tensor<130x256xf8E4M3FN>
  %c = tc.contract "mk,nk->mn" %q, %w : tensor<130x256xf8E4M3FN>, tensor<200x256xf8E4M3FN> -> tensor<130x200xf32>
  %r = tc.cast %c : tensor<130x200xf32> to tensor<130x200xbf16>
  return %r : tensor<130x200xbf16>
}

// Products of i8, whose sums of i32 are exact, as aten._int_mm has them.
func.func @integers(%x: tensor<200x272xi8>, %w: tensor<136x272xi8>) -> tensor<200x136xi32> {
  %a = tc.cast %x : tensor<200x272xi8> to tensor<200x272xi32>
  %b = tc.cast %w : tensor<136x272xi8> to tensor<136x272xi32>
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<200x272xi32>, tensor<136x272xi32> -> tensor<200x136xi32>
  return %c : tensor<200x136xi32>
}

func.func @integers_across(%x: tensor<130x272xi8>, %w: tensor<272x144xi8>) -> tensor<130x144xi32> {
  %a = tc.cast %x : tensor<130x272xi8> to tensor<130x272xi32>
  %b = tc.cast %w : tensor<272x144xi8> to tensor<272x144xi32>
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<130x272xi32>, tensor<272x144xi32> -> tensor<130x144xi32>
  return %c : tensor<130x144xi32>
}

func.func @integers_shared_sums(%x: tensor<64x4096xi8>, %w: tensor<128x4096xi8>) -> tensor<64x128xi32> {
  %a = tc.cast %x : tensor<64x4096xi8> to tensor<64x4096xi32>
  %b = tc.cast %w : tensor<128x4096xi8> to tensor<128x4096xi32>
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<64x4096xi32>, tensor<128x4096xi32> -> tensor<64x128xi32>
  return %c : tensor<64x128xi32>
}

// Quantized activations and weights.
func.func @dequantized(%x: tensor<136x256xi8>, %w: tensor<200x256xi8>, %s: tensor<200xf32>) -> tensor<136x200xbf16> {
  %a = tc.cast %x : tensor<136x256xi8> to tensor<136x256xi32>
  %b = tc.cast %w : tensor<200x256xi8> to tensor<200x256xi32>
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<136x256xi32>, tensor<200x256xi32> -> tensor<136x200xi32>
  %f = tc.cast %c : tensor<136x200xi32> to tensor<136x200xf32>
  %t = tc.broadcast %s dims [1] : tensor<200xf32> -> tensor<136x200xf32>
  %d = tc.mul %f, %t : tensor<136x200xf32>
  %r = tc.cast %d : tensor<136x200xf32> to tensor<136x200xbf16>
  return %r : tensor<136x200xbf16>
}

// Two products of the same rows in one kernel.
func.func @gated(%x: tensor<136x144xf8E4M3FN>, %g: tensor<104x144xf8E4M3FN>, %u: tensor<104x144xf8E4M3FN>, %s: tensor<f32>) -> tensor<136x104xbf16> {
  %t = tc.broadcast %s dims [] : tensor<f32> -> tensor<136x104xf32>
  %a = tc.contract "mk,nk->mn" %x, %g : tensor<136x144xf8E4M3FN>, tensor<104x144xf8E4M3FN> -> tensor<136x104xf32>
  %b = tc.mul %a, %t : tensor<136x104xf32>
  %c = tc.silu %b : tensor<136x104xf32>
  %d = tc.contract "mk,nk->mn" %x, %u : tensor<136x144xf8E4M3FN>, tensor<104x144xf8E4M3FN> -> tensor<136x104xf32>
  %e = tc.mul %d, %t : tensor<136x104xf32>
  %f = tc.mul %c, %e : tensor<136x104xf32>
  %r = tc.cast %f : tensor<136x104xf32> to tensor<136x104xbf16>
  return %r : tensor<136x104xbf16>
}
