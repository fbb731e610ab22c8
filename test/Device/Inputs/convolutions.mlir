// Convolutions of bf16 and f16, which the tensor cores of an sm_90a GPU multiply: places of the window by filters.

// Channels last, with padding; images that end within tiles, and channels that end within steps.
// types: bf16 f16
// sizes: n=1 n=3
func.func @last(%x: tensor<?x9x7x40xbf16, #tc.sizes<[n, 9, 7, 40]>>, %w: tensor<24x40x3x3xbf16>) -> tensor<?x9x7x24xbf16, #tc.sizes<[n, 9, 7, 24]>> attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 64>]} {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<?x9x7x40xbf16, #tc.sizes<[n, 9, 7, 40]>> -> tensor<?x40x9x7xbf16, #tc.sizes<[n, 40, 9, 7]>>
  %c = tc.convolution %p, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<?x40x9x7xbf16, #tc.sizes<[n, 40, 9, 7]>>, tensor<24x40x3x3xbf16> -> tensor<?x24x9x7xbf16, #tc.sizes<[n, 24, 9, 7]>>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<?x24x9x7xbf16, #tc.sizes<[n, 24, 9, 7]>> -> tensor<?x9x7x24xbf16, #tc.sizes<[n, 9, 7, 24]>>
  return %t : tensor<?x9x7x24xbf16, #tc.sizes<[n, 9, 7, 24]>>
}

// Steps and dilations that differ, and pixels beyond the last window.
func.func @steps(%x: tensor<2x14x11x32xbf16>, %w: tensor<16x32x3x2xbf16>) -> tensor<2x5x11x16xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x14x11x32xbf16> -> tensor<2x32x14x11xbf16>
  %c = tc.convolution %p, %w stride [3, 1] padding [2, 1] dilation [2, 2] {groups = 1 : i64} : tensor<2x32x14x11xbf16>, tensor<16x32x3x2xbf16> -> tensor<2x16x5x11xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<2x16x5x11xbf16> -> tensor<2x5x11x16xbf16>
  return %t : tensor<2x5x11x16xbf16>
}

// One pixel of every second one: a window of one point.
func.func @every_second(%x: tensor<3x8x8x64xbf16>, %w: tensor<32x64x1x1xbf16>) -> tensor<3x4x4x32xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<3x8x8x64xbf16> -> tensor<3x64x8x8xbf16>
  %c = tc.convolution %p, %w stride [2, 2] padding [0, 0] dilation [1, 1] {groups = 1 : i64} : tensor<3x64x8x8xbf16>, tensor<32x64x1x1xbf16> -> tensor<3x32x4x4xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<3x32x4x4xbf16> -> tensor<3x4x4x32xbf16>
  return %t : tensor<3x4x4x32xbf16>
}

// Rows and volumes of pixels, 48 channels of which steps have 64.
func.func @rows(%x: tensor<2x50x48xbf16>, %w: tensor<40x48x5xbf16>) -> tensor<2x46x40xbf16> {
  %p = tc.transpose %x [0, 2, 1] : tensor<2x50x48xbf16> -> tensor<2x48x50xbf16>
  %c = tc.convolution %p, %w stride [1] padding [0] dilation [1] {groups = 1 : i64} : tensor<2x48x50xbf16>, tensor<40x48x5xbf16> -> tensor<2x40x46xbf16>
  %t = tc.transpose %c [0, 2, 1] : tensor<2x40x46xbf16> -> tensor<2x46x40xbf16>
  return %t : tensor<2x46x40xbf16>
}
func.func @volumes(%x: tensor<2x4x5x3x32xbf16>, %w: tensor<32x32x2x3x3xbf16>) -> tensor<2x3x5x3x32xbf16> {
  %p = tc.transpose %x [0, 4, 1, 2, 3] : tensor<2x4x5x3x32xbf16> -> tensor<2x32x4x5x3xbf16>
  %c = tc.convolution %p, %w stride [1, 1, 1] padding [0, 1, 1] dilation [1, 1, 1] {groups = 1 : i64} : tensor<2x32x4x5x3xbf16>, tensor<32x32x2x3x3xbf16> -> tensor<2x32x3x5x3xbf16>
  %t = tc.transpose %c [0, 2, 3, 4, 1] : tensor<2x32x3x5x3xbf16> -> tensor<2x3x5x3x32xbf16>
  return %t : tensor<2x3x5x3x32xbf16>
}

// Two layers with a residual and a pooling between: what is between them has its channels last.
func.func @layers(%x: tensor<1x32x8x8xbf16>, %u: tensor<32x32x3x3xbf16>, %v: tensor<64x32x3x3xbf16>) -> tensor<1x64x4x4xbf16> {
  %a = tc.convolution %x, %u stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<1x32x8x8xbf16>, tensor<32x32x3x3xbf16> -> tensor<1x32x8x8xbf16>
  %b = tc.add %a, %x : tensor<1x32x8x8xbf16>
  %r = tc.relu %b : tensor<1x32x8x8xbf16>
  %p, %i = tc.max_pool %r kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x32x8x8xbf16> -> tensor<1x32x4x4xbf16>, tensor<1x32x4x4xi64>
  %c = tc.convolution %p, %v stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<1x32x4x4xbf16>, tensor<64x32x3x3xbf16> -> tensor<1x64x4x4xbf16>
  return %c : tensor<1x64x4x4xbf16>
}

// Groups of as many filters as channels, whose results have a dimension as long as what is summed over.
func.func @groups(%x: tensor<2x12x16xf16>, %w: tensor<8x8x1xf16>, %b: tensor<8xf16>) -> tensor<2x12x8xf16> {
  %p = tc.transpose %x [0, 2, 1] : tensor<2x12x16xf16> -> tensor<2x16x12xf16>
  %c = tc.convolution %p, %w stride [1] padding [0] dilation [2] {groups = 2 : i64} : tensor<2x16x12xf16>, tensor<8x8x1xf16> -> tensor<2x8x12xf16>
  %t = tc.transpose %c [0, 2, 1] : tensor<2x8x12xf16> -> tensor<2x12x8xf16>
  %d = tc.broadcast %b dims [2] : tensor<8xf16> -> tensor<2x12x8xf16>
  %s = tc.add %t, %d : tensor<2x12x8xf16>
  return %s : tensor<2x12x8xf16>
}
