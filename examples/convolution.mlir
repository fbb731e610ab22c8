// The first layers of a small image classifier: convolution, relu, pooling, a maximum over the image.
//
// $ tc-run examples/convolution.mlir --random-inputs=0 --check

func.func @image(%x: tensor<1x3x32x32xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<1x8xf32> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : tensor<1x3x32x32xf32>, tensor<8x3x3x3xf32> -> tensor<1x8x32x32xf32>
  %1 = tc.relu %0 : tensor<1x8x32x32xf32>
  %2 = tc.avg_pool %1 kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<1x8x32x32xf32> -> tensor<1x8x16x16xf32>
  %3 = tc.reduce max %2 dims [2, 3] : tensor<1x8x16x16xf32> -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}
