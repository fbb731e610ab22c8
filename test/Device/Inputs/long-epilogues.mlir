// What is computed of the sums of a product takes so many instructions that a thread does so in parts, by one piece of code; `epilogue_parts` of the schedules for sm_90a.

func.func @gelu(%x: tensor<1024x64xbf16>, %w: tensor<1024x64xbf16>, %b: tensor<1024xbf16>) -> tensor<1024x1024xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<1024x64xbf16>, tensor<1024x64xbf16> -> tensor<1024x1024xbf16>
  %d = tc.broadcast %b dims [1] : tensor<1024xbf16> -> tensor<1024x1024xbf16>
  %s = tc.add %c, %d : tensor<1024x1024xbf16>
  %r = tc.gelu %s : tensor<1024x1024xbf16>
  return %r : tensor<1024x1024xbf16>
}

// The epilogue reads an element for each result; sizes are not multiples of the tile's.
func.func @gelu_grad(%x: tensor<1000x80xbf16>, %w: tensor<1040x80xbf16>, %h: tensor<1000x1040xbf16>) -> tensor<1000x1040xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<1000x80xbf16>, tensor<1040x80xbf16> -> tensor<1000x1040xbf16>
  %r = tc.gelu_grad %c, %h : tensor<1000x1040xbf16>
  return %r : tensor<1000x1040xbf16>
}

// Two products of the same rows, of which a thread has sums in two segments.
func.func @pair(%x: tensor<1024x64xbf16>, %g: tensor<4096x64xbf16>, %u: tensor<4096x64xbf16>) -> tensor<1024x4096xbf16> {
  %0 = tc.contract "mk,nk->mn" %x, %g : tensor<1024x64xbf16>, tensor<4096x64xbf16> -> tensor<1024x4096xbf16>
  %1 = tc.silu %0 : tensor<1024x4096xbf16>
  %2 = tc.contract "mk,nk->mn" %x, %u : tensor<1024x64xbf16>, tensor<4096x64xbf16> -> tensor<1024x4096xbf16>
  %3 = tc.mul %1, %2 : tensor<1024x4096xbf16>
  return %3 : tensor<1024x4096xbf16>
}
