// Gradients of convolutions and of pooling: products that sum over places, windows that are read backwards, and folds of the windows that an element is in.

// The gradient of filters: 128 channels of nine points are the lanes, of which a tile may have several points.
func.func @filters(%x: tensor<2x8x9x128xbf16>, %g: tensor<2x8x9x96xbf16>, %w: tensor<96x128x3x3xbf16>) -> tensor<96x128x3x3xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x8x9x128xbf16> -> tensor<2x128x8x9xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x8x9x96xbf16> -> tensor<2x96x8x9xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x96x8x9xbf16>, tensor<2x128x8x9xbf16>, tensor<96x128x3x3xbf16>) -> (tensor<2x128x8x9xbf16>, tensor<96x128x3x3xbf16>, tensor<96xbf16>)
  return %r#1 : tensor<96x128x3x3xbf16>
}

// Every second place, from the border on, and images that end before the last window does.
// types: bf16 f16
func.func @filters_of_steps(%x: tensor<3x9x8x128xbf16>, %g: tensor<3x5x4x96xbf16>, %w: tensor<96x128x3x3xbf16>) -> tensor<96x128x3x3xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<3x9x8x128xbf16> -> tensor<3x128x9x8xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<3x5x4x96xbf16> -> tensor<3x96x5x4xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [2, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<3x96x5x4xbf16>, tensor<3x128x9x8xbf16>, tensor<96x128x3x3xbf16>) -> (tensor<3x128x9x8xbf16>, tensor<96x128x3x3xbf16>, tensor<96xbf16>)
  return %r#1 : tensor<96x128x3x3xbf16>
}

// One box of channels, and a window that is larger than the steps.
func.func @wide_windows(%x: tensor<2x11x6x64xbf16>, %g: tensor<2x4x2x40xbf16>, %w: tensor<40x64x5x5xbf16>) -> tensor<40x64x5x5xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x11x6x64xbf16> -> tensor<2x64x11x6xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x4x2x40xbf16> -> tensor<2x40x4x2xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [3, 3], padding = [2, 2], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x40x4x2xbf16>, tensor<2x64x11x6xbf16>, tensor<40x64x5x5xbf16>) -> (tensor<2x64x11x6xbf16>, tensor<40x64x5x5xbf16>, tensor<40xbf16>)
  return %r#1 : tensor<40x64x5x5xbf16>
}

// Images and gradients whose channels are planes.
func.func @planes(%x: tensor<2x64x7x8xbf16>, %g: tensor<2x64x7x8xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<64x64x3x3xbf16> {
  %r:3 = tc.aten "aten.convolution_backward.default"(%g, %x, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x64x7x8xbf16>, tensor<2x64x7x8xbf16>, tensor<64x64x3x3xbf16>) -> (tensor<2x64x7x8xbf16>, tensor<64x64x3x3xbf16>, tensor<64xbf16>)
  return %r#1 : tensor<64x64x3x3xbf16>
}

// Three channels, a matrix of windows.
// types: bf16 f16
func.func @three_channels(%x: tensor<2x16x15x3xbf16>, %g: tensor<2x8x8x64xbf16>, %w: tensor<64x3x3x3xbf16>) -> tensor<64x3x3x3xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x16x15x3xbf16> -> tensor<2x3x16x15xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x8x8x64xbf16> -> tensor<2x64x8x8xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [2, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x64x8x8xbf16>, tensor<2x3x16x15xbf16>, tensor<64x3x3x3xbf16>) -> (tensor<2x3x16x15xbf16>, tensor<64x3x3x3xbf16>, tensor<64xbf16>)
  return %r#1 : tensor<64x3x3x3xbf16>
}

// Forty channels, whole units of 16 bytes but no box.
func.func @forty_channels(%x: tensor<2x9x9x40xbf16>, %g: tensor<2x9x9x24xbf16>, %w: tensor<24x40x3x3xbf16>) -> tensor<24x40x3x3xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x9x9x40xbf16> -> tensor<2x40x9x9xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x9x9x24xbf16> -> tensor<2x24x9x9xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x24x9x9xbf16>, tensor<2x40x9x9xbf16>, tensor<24x40x3x3xbf16>) -> (tensor<2x40x9x9xbf16>, tensor<24x40x3x3xbf16>, tensor<24xbf16>)
  return %r#1 : tensor<24x40x3x3xbf16>
}

// The gradient of images, whose windows are read backwards.
// types: bf16 f16
func.func @images(%x: tensor<2x8x9x64xbf16>, %g: tensor<2x8x9x96xbf16>, %w: tensor<96x64x3x3xbf16>) -> tensor<2x8x9x64xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x8x9x64xbf16> -> tensor<2x64x8x9xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x8x9x96xbf16> -> tensor<2x96x8x9xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [true, false, false]} : (tensor<2x96x8x9xbf16>, tensor<2x64x8x9xbf16>, tensor<96x64x3x3xbf16>) -> (tensor<2x64x8x9xbf16>, tensor<96x64x3x3xbf16>, tensor<96xbf16>)
  %d = tc.transpose %r#0 [0, 2, 3, 1] : tensor<2x64x8x9xbf16> -> tensor<2x8x9x64xbf16>
  return %d : tensor<2x8x9x64xbf16>
}

// A window of an even number of points, without padding.
func.func @even_windows(%x: tensor<2x9x9x64xbf16>, %g: tensor<2x8x8x48xbf16>, %w: tensor<48x64x2x2xbf16>) -> tensor<2x9x9x64xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x9x9x64xbf16> -> tensor<2x64x9x9xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x8x8x48xbf16> -> tensor<2x48x8x8xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [true, false, false]} : (tensor<2x48x8x8xbf16>, tensor<2x64x9x9xbf16>, tensor<48x64x2x2xbf16>) -> (tensor<2x64x9x9xbf16>, tensor<48x64x2x2xbf16>, tensor<48xbf16>)
  %d = tc.transpose %r#0 [0, 2, 3, 1] : tensor<2x64x9x9xbf16> -> tensor<2x9x9x64xbf16>
  return %d : tensor<2x9x9x64xbf16>
}

// Steps of two with few products, which are computed with the zeros between them.
func.func @images_of_steps(%x: tensor<2x9x8x64xbf16>, %g: tensor<2x5x4x96xbf16>, %w: tensor<96x64x3x3xbf16>) -> tensor<2x9x8x64xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<2x9x8x64xbf16> -> tensor<2x64x9x8xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<2x5x4x96xbf16> -> tensor<2x96x5x4xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [2, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [true, false, false]} : (tensor<2x96x5x4xbf16>, tensor<2x64x9x8xbf16>, tensor<96x64x3x3xbf16>) -> (tensor<2x64x9x8xbf16>, tensor<96x64x3x3xbf16>, tensor<96xbf16>)
  %d = tc.transpose %r#0 [0, 2, 3, 1] : tensor<2x64x9x8xbf16> -> tensor<2x9x8x64xbf16>
  return %d : tensor<2x9x8x64xbf16>
}

// Steps of two with many products, phase by phase.
func.func @phases(%x: tensor<4x8x8x256xbf16>, %g: tensor<4x4x4x256xbf16>, %w: tensor<256x256x3x3xbf16>) -> tensor<4x8x8x256xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<4x8x8x256xbf16> -> tensor<4x256x8x8xbf16>
  %q = tc.transpose %g [0, 3, 1, 2] : tensor<4x4x4x256xbf16> -> tensor<4x256x4x4xbf16>
  %r:3 = tc.aten "aten.convolution_backward.default"(%q, %p, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [2, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [true, false, false]} : (tensor<4x256x4x4xbf16>, tensor<4x256x8x8xbf16>, tensor<256x256x3x3xbf16>) -> (tensor<4x256x8x8xbf16>, tensor<256x256x3x3xbf16>, tensor<256xbf16>)
  %d = tc.transpose %r#0 [0, 2, 3, 1] : tensor<4x256x8x8xbf16> -> tensor<4x8x8x256xbf16>
  return %d : tensor<4x8x8x256xbf16>
}

// The gradient of a maximum of overlapping windows, of images in both orders, and of windows that are apart.
func.func @maxima(%x: tensor<2x5x9x11xf32>, %g: tensor<2x5x5x6xf32>) -> tensor<2x5x9x11xf32> {
  %p, %i = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<2x5x9x11xf32> -> tensor<2x5x5x6xf32>, tensor<2x5x5x6xi64>
  %r = tc.aten "aten.max_pool2d_with_indices_backward.default"(%g, %x, %i) {grad_output = #tc.operand<0>, self = #tc.operand<1>, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1], dilation = [1, 1], ceil_mode = false, indices = #tc.operand<2>} : (tensor<2x5x5x6xf32>, tensor<2x5x9x11xf32>, tensor<2x5x5x6xi64>) -> tensor<2x5x9x11xf32>
  return %r : tensor<2x5x9x11xf32>
}
func.func @maxima_of_channels_last(%x: tensor<2x8x8x32xbf16>, %g: tensor<2x4x4x32xbf16>) -> tensor<2x8x8x32xbf16> {
  %a = tc.transpose %x [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
  %b = tc.transpose %g [0, 3, 1, 2] : tensor<2x4x4x32xbf16> -> tensor<2x32x4x4xbf16>
  %p, %i = tc.max_pool %a kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<2x32x8x8xbf16> -> tensor<2x32x4x4xbf16>, tensor<2x32x4x4xi64>
  %r = tc.aten "aten.max_pool2d_with_indices_backward.default"(%b, %a, %i) {grad_output = #tc.operand<0>, self = #tc.operand<1>, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1], dilation = [1, 1], ceil_mode = false, indices = #tc.operand<2>} : (tensor<2x32x4x4xbf16>, tensor<2x32x8x8xbf16>, tensor<2x32x4x4xi64>) -> tensor<2x32x8x8xbf16>
  %t = tc.transpose %r [0, 2, 3, 1] : tensor<2x32x8x8xbf16> -> tensor<2x8x8x32xbf16>
  return %t : tensor<2x8x8x32xbf16>
}
func.func @maxima_apart(%x: tensor<3x4x9x8xf32>, %g: tensor<3x4x4x4xf32>) -> tensor<3x4x9x8xf32> {
  %p, %i = tc.max_pool %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : tensor<3x4x9x8xf32> -> tensor<3x4x4x4xf32>, tensor<3x4x4x4xi64>
  %r = tc.aten "aten.max_pool2d_with_indices_backward.default"(%g, %x, %i) {grad_output = #tc.operand<0>, self = #tc.operand<1>, kernel_size = [2, 2], stride = [2, 2], padding = [0, 0], dilation = [1, 1], ceil_mode = false, indices = #tc.operand<2>} : (tensor<3x4x4x4xf32>, tensor<3x4x9x8xf32>, tensor<3x4x4x4xi64>) -> tensor<3x4x9x8xf32>
  return %r : tensor<3x4x9x8xf32>
}

// The gradient of averages of overlapping windows, without the padding.
func.func @averages(%x: tensor<2x5x9x11xf32>, %g: tensor<2x5x5x6xf32>) -> tensor<2x5x9x11xf32> {
  %r = tc.aten "aten.avg_pool2d_backward.default"(%g, %x) {grad_output = #tc.operand<0>, self = #tc.operand<1>, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1], ceil_mode = false, count_include_pad = false, divisor_override} : (tensor<2x5x5x6xf32>, tensor<2x5x9x11xf32>) -> tensor<2x5x9x11xf32>
  return %r : tensor<2x5x9x11xf32>
}
