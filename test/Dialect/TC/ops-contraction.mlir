// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of contractions and convolutions.

// Matrix product, batches, transposed operands, outer product, inner product.
// CHECK-LABEL: func @contract
func.func @contract(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %w: tensor<16x8xf32>, %p: tensor<2x4x8xbf16>, %q: tensor<2x8x3xbf16>, %i: tensor<8xi64>, %e: tensor<4x8xf8E4M3FN>, %f: tensor<16x8xf8E5M2>) {
  // CHECK: tc.contract "mk,kn->mn" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: tc.contract "mk,nk->nm" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<16x4xf32>
  %1 = tc.contract "mk,nk->nm" %a, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<16x4xf32>
  // CHECK: tc.contract "bmk,bkn->bmn" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<2x4x8xbf16>, tensor<2x8x3xbf16> -> tensor<2x4x3xbf16>
  %2 = tc.contract "bmk,bkn->bmn" %p, %q : tensor<2x4x8xbf16>, tensor<2x8x3xbf16> -> tensor<2x4x3xbf16>
  // CHECK: tc.contract "i,j->ij" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<8xi64>, tensor<8xi64> -> tensor<8x8xi64>
  %3 = tc.contract "i,j->ij" %i, %i : tensor<8xi64>, tensor<8xi64> -> tensor<8x8xi64>
  // CHECK: tc.contract "i,i->" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<8xi64>, tensor<8xi64> -> tensor<i64>
  %4 = tc.contract "i,i->" %i, %i : tensor<8xi64>, tensor<8xi64> -> tensor<i64>
  // CHECK: tc.contract "mk,nk->mn" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf8E4M3FN>, tensor<16x8xf8E5M2> -> tensor<4x16xf32>
  %5 = tc.contract "mk,nk->mn" %e, %f : tensor<4x8xf8E4M3FN>, tensor<16x8xf8E5M2> -> tensor<4x16xf32>
  // CHECK: tc.contract "mk,nk->mn" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} fast : tensor<4x8xf8E4M3FN>, tensor<16x8xf8E5M2> -> tensor<4x16xf32>
  %6 = tc.contract "mk,nk->mn" %e, %f fast : tensor<4x8xf8E4M3FN>, tensor<16x8xf8E5M2> -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func @contract_symbolic
func.func @contract_symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %w: tensor<16x8xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.contract "mk,nk->mn" %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<16x8xf32> -> tensor<?x16xf32, #tc.sizes<[s0, 16]>>
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<16x8xf32> -> tensor<?x16xf32, #tc.sizes<[s0, 16]>>
  return
}

// One to three spatial dimensions, groups, transposed.
// CHECK-LABEL: func @convolution
func.func @convolution(%x: tensor<1x3x224x224xf32>, %w: tensor<64x3x7x7xf32>, %y: tensor<2x8x16xf32>, %v: tensor<8x1x3xf32>, %z: tensor<1x2x4x4x4xbf16>, %u: tensor<2x3x2x2x2xbf16>) {
  // CHECK: tc.convolution %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} stride [2, 2] padding [3, 3] dilation [1, 1] : tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32> -> tensor<1x64x112x112xf32>
  %0 = tc.convolution %x, %w stride [2, 2] padding [3, 3] dilation [1, 1] : tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32> -> tensor<1x64x112x112xf32>
  // CHECK: tc.convolution %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} stride [1] padding [2] dilation [2] {groups = 8 : i64} : tensor<2x8x16xf32>, tensor<8x1x3xf32> -> tensor<2x8x16xf32>
  %1 = tc.convolution %y, %v stride [1] padding [2] dilation [2] {groups = 8 : i64} : tensor<2x8x16xf32>, tensor<8x1x3xf32> -> tensor<2x8x16xf32>
  // CHECK: tc.convolution %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} stride [2, 2, 2] padding [0, 0, 0] dilation [1, 1, 1] {output_padding = array<i64: 1, 0, 1>, transposed} : tensor<1x2x4x4x4xbf16>, tensor<2x3x2x2x2xbf16> -> tensor<1x3x9x8x9xbf16>
  %2 = tc.convolution %z, %u stride [2, 2, 2] padding [0, 0, 0] dilation [1, 1, 1] {output_padding = array<i64: 1, 0, 1>, transposed} : tensor<1x2x4x4x4xbf16>, tensor<2x3x2x2x2xbf16> -> tensor<1x3x9x8x9xbf16>
  return
}

// Output sizes are expressions of the input's.
// CHECK-LABEL: func @convolution_symbolic
func.func @convolution_symbolic(%x: tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>, %w: tensor<8x3x3x3xf32>, %v: tensor<3x8x2x2xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 8, max = 512>]} {
  // CHECK: tc.convolution %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>, tensor<8x3x3x3xf32> -> tensor<?x8x?x16xf32, #tc.sizes<[s0, 8, (s1 + 1) floordiv 2, 16]>>
  %0 = tc.convolution %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>, tensor<8x3x3x3xf32> -> tensor<?x8x?x16xf32, #tc.sizes<[s0, 8, (s1 + 1) floordiv 2, 16]>>
  // CHECK: tc.convolution %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} stride [2, 2] padding [0, 0] dilation [1, 1] {transposed} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>, tensor<3x8x2x2xf32> -> tensor<?x8x?x64xf32, #tc.sizes<[s0, 8, s1 * 2, 64]>>
  %1 = tc.convolution %x, %v stride [2, 2] padding [0, 0] dilation [1, 1] {transposed} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>, tensor<3x8x2x2xf32> -> tensor<?x8x?x64xf32, #tc.sizes<[s0, 8, s1 * 2, 64]>>
  return
}
