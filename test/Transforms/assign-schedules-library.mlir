// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cuda:sm_90a libraries=cublaslt" | FileCheck %s
// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cuda:sm_90a" | FileCheck %s --check-prefix=OFF --implicit-check-not=library
// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cpu:x86-64-v3 libraries=cublaslt" | FileCheck %s --check-prefix=OFF --implicit-check-not=library
// OFF: tc.kernel

// Consecutive results vary with the right operand, which is the library's A; its rows are contiguous along the sum.
// CHECK: module attributes {tc.libraries = ["cublaslt"],
// CHECK-LABEL: @linear
// CHECK: tc.kernel "contract_broadcast_add_gelu_tanh" contraction dims [#tc.dim<"i", parallel, s0 * 64>,
// CHECK-SAME: schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true, bias = 2, activation = gelu_tanh>
func.func @linear(%x: tensor<?x64x256xbf16, #tc.sizes<[s0, 64, 256]>>, %w: tensor<512x256xbf16>, %b: tensor<512xbf16>) -> tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1024>]} {
  %0 = tc.contract "bmk,nk->bmn" %x, %w : tensor<?x64x256xbf16, #tc.sizes<[s0, 64, 256]>>, tensor<512x256xbf16> -> tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
  %1 = tc.broadcast %b dims [2] : tensor<512xbf16> -> tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
  %2 = tc.add %0, %1 : tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
  %3 = tc.gelu_tanh %2 : tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
  return %3 : tensor<?x64x512xbf16, #tc.sizes<[s0, 64, 512]>>
}

// -----

// The result is contiguous along the left operand's dimension.
// CHECK-LABEL: @left
// CHECK: schedule #tc.library_schedule<library = cublaslt, a = 0, b = 1, transpose_a = true, transpose_b = true, scale = 1.250000e-01 : f32, workspace = [[#]]>
func.func @left(%x: tensor<96x1024xf32>, %y: tensor<1024x80xf32>) -> tensor<80x96xf32> {
  %0 = tc.contract "mk,kn->nm" %x, %y : tensor<96x1024xf32>, tensor<1024x80xf32> -> tensor<80x96xf32>
  %s = tc.constant dense<1.250000e-01> : tensor<f32>
  %t = tc.broadcast %s dims [] : tensor<f32> -> tensor<80x96xf32>
  %1 = tc.mul %0, %t : tensor<80x96xf32>
  return %1 : tensor<80x96xf32>
}

// -----

// One matrix for all of the batch has no stride, as the weights of a convolution of single points have.
// CHECK-LABEL: @shared_matrix
// CHECK: schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0>
func.func @shared_matrix(%w: tensor<64x128xf32>, %x: tensor<4x128x256xf32>) -> tensor<4x64x256xf32> {
  %0 = tc.contract "mk,bkn->bmn" %w, %x : tensor<64x128xf32>, tensor<4x128x256xf32> -> tensor<4x64x256xf32>
  return %0 : tensor<4x64x256xf32>
}

// -----

// TC's own code: few multiplications, few rows, f64, a sum that may be over nothing, two strides of a batch, rows that overlap.
// CHECK-LABEL: @small
// CHECK: schedule #tc.gpu_
func.func @small(%x: tensor<32x64xf32>, %w: tensor<48x64xf32>) -> tensor<32x48xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<32x64xf32>, tensor<48x64xf32> -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
// CHECK-LABEL: @few_rows
// CHECK: schedule #tc.gpu_row_schedule
func.func @few_rows(%x: tensor<4x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4x4096xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<4x4096xf32>, tensor<4096x4096xf32> -> tensor<4x4096xf32>
  return %0 : tensor<4x4096xf32>
}
// CHECK-LABEL: @f64
// CHECK: schedule #tc.gpu_
func.func @f64(%x: tensor<128x128xf64>, %w: tensor<128x128xf64>) -> tensor<128x128xf64> {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<128x128xf64>, tensor<128x128xf64> -> tensor<128x128xf64>
  return %0 : tensor<128x128xf64>
}
// CHECK-LABEL: @sum_of_nothing
// CHECK: schedule #tc.gpu_
func.func @sum_of_nothing(%x: tensor<256x?xf32, #tc.sizes<[256, s0]>>, %w: tensor<?x256xf32, #tc.sizes<[s0, 256]>>) -> tensor<256x256xf32>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<256x?xf32, #tc.sizes<[256, s0]>>, tensor<?x256xf32, #tc.sizes<[s0, 256]>> -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
// CHECK-LABEL: @two_strides
// CHECK: schedule #tc.gpu_
func.func @two_strides(%x: tensor<4x128x8x64xf16>, %y: tensor<4x128x8x64xf16>) -> tensor<4x8x128x128xf16> {
  %0 = tc.contract "bqhd,bkhd->bhqk" %x, %y : tensor<4x128x8x64xf16>, tensor<4x128x8x64xf16> -> tensor<4x8x128x128xf16>
  return %0 : tensor<4x8x128x128xf16>
}
// CHECK-LABEL: @convolution
// CHECK: schedule #tc.gpu_
func.func @convolution(%x: tensor<4x32x200xf32>, %w: tensor<64x32x3xf32>) -> tensor<4x64x198xf32> {
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<4x32x200xf32>, tensor<64x32x3xf32> -> tensor<4x64x198xf32>
  return %0 : tensor<4x64x198xf32>
}
