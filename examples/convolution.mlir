// The first layers of a small image classifier: convolution, bias, relu, a maximum over the image.
//
// $ tc-run examples/convolution.mlir --random-inputs=0 --check --tolerance=1e-4,1e-4

func.func @image(%x: tensor<1x3x32x32xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = tc.convolution %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x3x32x32xf32>, tensor<8x3x3x3xf32> -> tensor<1x8x16x16xf32>
  %1 = tc.broadcast %b dims [1] : tensor<8xf32> -> tensor<1x8x16x16xf32>
  %2 = tc.add %0, %1 : tensor<1x8x16x16xf32>
  %3 = tc.relu %2 : tensor<1x8x16x16xf32>
  %4 = tc.reduce max %3 dims [2, 3] : tensor<1x8x16x16xf32> -> tensor<1x8xf32>
  return %4 : tensor<1x8xf32>
}
