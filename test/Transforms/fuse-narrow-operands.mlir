// RUN: tc-opt %s --split-input-file --tc-assign-target=target=cuda:sm_90a --convert-tc-to-kernel --tc-fuse-prologue -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-assign-target=target=cuda:sm_80 --convert-tc-to-kernel --tc-fuse-prologue -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s --check-prefix=SM80

// Parameters in f32 under autocast. Where the copy engine brings tiles to shared memory, what is cast to fewer bits is in
// memory for it; the windows of a convolution read each element of an image nine times.
// CHECK: did not fuse 'cast' into 'convolution': tiles of a contraction are copied from memory in the type that it multiplies
// CHECK: did not fuse 'cast' into 'convolution': tiles of a contraction are copied from memory in the type that it multiplies
// SM80: fused 'cast' into 'convolution'
// SM80: fused 'cast' into 'cast_convolution'
func.func @convolution(%x: tensor<8x64x28x28xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x28x28xbf16> {
  %0 = tc.cast %x : tensor<8x64x28x28xf32> to tensor<8x64x28x28xbf16>
  %1 = tc.cast %w : tensor<64x64x3x3xf32> to tensor<64x64x3x3xbf16>
  %2 = tc.convolution %0, %1 stride [1, 1] padding [1, 1] dilation [1, 1] : tensor<8x64x28x28xbf16>, tensor<64x64x3x3xbf16> -> tensor<8x64x28x28xbf16>
  return %2 : tensor<8x64x28x28xbf16>
}

// -----

// CHECK: did not fuse 'cast' into 'contract': tiles of a contraction are copied from memory in the type that it multiplies
func.func @many_rows(%x: tensor<1024x256xbf16>, %w: tensor<512x256xf32>) -> tensor<1024x512xbf16> {
  %0 = tc.cast %w : tensor<512x256xf32> to tensor<512x256xbf16>
  %1 = tc.contract "mk,nk->mn" %x, %0 : tensor<1024x256xbf16>, tensor<512x256xbf16> -> tensor<1024x512xbf16>
  return %1 : tensor<1024x512xbf16>
}

// -----

// One tile reads each element once, and wider types have more bytes in memory than what they are cast from.
// CHECK: fused 'cast' into 'contract'
func.func @few_rows(%x: tensor<16x256xbf16>, %w: tensor<512x256xf32>) -> tensor<16x512xbf16> {
  %0 = tc.cast %w : tensor<512x256xf32> to tensor<512x256xbf16>
  %1 = tc.contract "mk,nk->mn" %x, %0 : tensor<16x256xbf16>, tensor<512x256xbf16> -> tensor<16x512xbf16>
  return %1 : tensor<16x512xbf16>
}

// -----

// CHECK: fused 'cast' into 'contract'
func.func @widened(%x: tensor<1024x256xbf16>, %w: tensor<512x256xi8>) -> tensor<1024x512xbf16> {
  %0 = tc.cast %w : tensor<512x256xi8> to tensor<512x256xbf16>
  %1 = tc.contract "mk,nk->mn" %x, %0 : tensor<1024x256xbf16>, tensor<512x256xbf16> -> tensor<1024x512xbf16>
  return %1 : tensor<1024x512xbf16>
}
