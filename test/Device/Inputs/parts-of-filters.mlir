// Transposed convolutions whose windows are parts of what is in memory, or more than that: products that read windows backwards.

// The first points of larger filters.
func.func @first_points(%g: tensor<2x6x8x64xbf16>, %w: tensor<64x32x3x3xbf16>) -> tensor<2x7x9x32xbf16> {
  %x = tc.transpose %g [0, 3, 1, 2] : tensor<2x6x8x64xbf16> -> tensor<2x64x6x8xbf16>
  %s = tc.slice %w offsets <[0, 0, 0, 0]> strides [1, 1, 1, 1] : tensor<64x32x3x3xbf16> -> tensor<64x32x2x2xbf16>
  %c = tc.convolution %x, %s stride [1, 1] padding [0, 0] dilation [1, 1] {transposed} : tensor<2x64x6x8xbf16>, tensor<64x32x2x2xbf16> -> tensor<2x32x7x9xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<2x32x7x9xbf16> -> tensor<2x7x9x32xbf16>
  return %t : tensor<2x7x9x32xbf16>
}

// Filters with zeros behind the last points.
func.func @zeros_behind(%g: tensor<2x6x8x64xbf16>, %w: tensor<64x32x2x2xbf16>) -> tensor<2x8x10x32xbf16> {
  %x = tc.transpose %g [0, 3, 1, 2] : tensor<2x6x8x64xbf16> -> tensor<2x64x6x8xbf16>
  %s = tc.pad constant %w low [0, 0, 0, 0] high [0, 0, 1, 1] value 0.0 : bf16 : tensor<64x32x2x2xbf16> -> tensor<64x32x3x3xbf16>
  %c = tc.convolution %x, %s stride [1, 1] padding [0, 0] dilation [1, 1] {transposed} : tensor<2x64x6x8xbf16>, tensor<64x32x3x3xbf16> -> tensor<2x32x8x10xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<2x32x8x10xbf16> -> tensor<2x8x10x32xbf16>
  return %t : tensor<2x8x10x32xbf16>
}

// Filters with zeros in front of the first points, and the last points of larger filters.
func.func @zeros_in_front(%g: tensor<2x6x8x64xbf16>, %w: tensor<64x32x2x2xbf16>) -> tensor<2x8x10x32xbf16> {
  %x = tc.transpose %g [0, 3, 1, 2] : tensor<2x6x8x64xbf16> -> tensor<2x64x6x8xbf16>
  %s = tc.pad constant %w low [0, 0, 1, 1] high [0, 0, 0, 0] value 0.0 : bf16 : tensor<64x32x2x2xbf16> -> tensor<64x32x3x3xbf16>
  %c = tc.convolution %x, %s stride [1, 1] padding [0, 0] dilation [1, 1] {transposed} : tensor<2x64x6x8xbf16>, tensor<64x32x3x3xbf16> -> tensor<2x32x8x10xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<2x32x8x10xbf16> -> tensor<2x8x10x32xbf16>
  return %t : tensor<2x8x10x32xbf16>
}
func.func @last_points(%g: tensor<2x6x8x64xbf16>, %w: tensor<64x32x3x3xbf16>) -> tensor<2x7x9x32xbf16> {
  %x = tc.transpose %g [0, 3, 1, 2] : tensor<2x6x8x64xbf16> -> tensor<2x64x6x8xbf16>
  %s = tc.slice %w offsets <[0, 0, 1, 1]> strides [1, 1, 1, 1] : tensor<64x32x3x3xbf16> -> tensor<64x32x2x2xbf16>
  %c = tc.convolution %x, %s stride [1, 1] padding [0, 0] dilation [1, 1] {transposed} : tensor<2x64x6x8xbf16>, tensor<64x32x2x2xbf16> -> tensor<2x32x7x9xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<2x32x7x9xbf16> -> tensor<2x7x9x32xbf16>
  return %t : tensor<2x7x9x32xbf16>
}
