// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-prologue -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each further reason why a producer is not fused into consumers with stages.

// What several kernels read of a contraction's result is computed on its tile.
// CHECK: did not fuse 'relu' into 'exp': it is the epilogue of the contraction it reads
func.func @epilogue(%x: tensor<64x32xf32>, %w: tensor<64x32xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  %1 = tc.relu %0 : tensor<64x64xf32>
  %2 = tc.exp %1 : tensor<64x64xf32>
  %3 = tc.reduce sum %1 dims [1] : tensor<64x64xf32> -> tensor<64xf32>
  return %2, %3 : tensor<64x64xf32>, tensor<64xf32>
}


// -----

// A product of two tensors is not computed again for every tile that reads it.
// CHECK: did not fuse 'mul' into 'contract': it would be computed for every tile of a contraction
func.func @tile(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %w: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %a = tc.mul %x, %y : tensor<64x32xf32>
  %0 = tc.contract "mk,nk->mn" %a, %w : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}


// -----

// Windows overlap: an element is in up to eight of them.
// CHECK: did not fuse 'lgamma' into 'avg_pool': it is expensive and each element is read 6 times
func.func @expensive(%x: tensor<1x4x32xf32>) -> tensor<1x4x25xf32> {
  %1 = tc.lgamma %x : tensor<1x4x32xf32>
  %2 = tc.avg_pool %1 kernel [8] stride [1] padding [0] : tensor<1x4x32xf32> -> tensor<1x4x25xf32>
  return %2 : tensor<1x4x25xf32>
}

// -----

// Copies of rows are for a transpose of other dimensions alone.
// CHECK: fused 'transpose' into 'attention_backward'
// CHECK: did not fuse 'neg' into 'transpose_attention_backward': the copy engine takes rows of it as they are in memory

func.func @copied(%g: tensor<16x2x64xbf16>, %q: tensor<2x16x64xbf16>, %k: tensor<2x16x64xbf16>, %l: tensor<2x16xf32>) -> tensor<2x16x64xf32> {
  %t = tc.transpose %g [1, 0, 2] : tensor<16x2x64xbf16> -> tensor<2x16x64xbf16>
  %n = tc.neg %q : tensor<2x16x64xbf16>
  %gq, %gk, %gv = tc.attention_backward %t, %n, %k, %k, %l, %l scale 0.125 : tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16xf32>, tensor<2x16xf32> -> tensor<2x16x64xf32>
  return %gq : tensor<2x16x64xf32>
}
