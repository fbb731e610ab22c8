// A small convolution for tests of what computes it.
func.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32> {
  %c = tc.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32> -> tensor<1x2x2x2xf32>
  return %c : tensor<1x2x2x2xf32>
}
