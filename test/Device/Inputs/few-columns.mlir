// Folds of few columns that depend on each other, or whose points are written as well, which are kernels of their own, and products of columns by columns.

// A batch normalization in training: a mean, a variance with it, and a value for each point.
func.func @normalize(%x: tensor<2048x64xf32>, %w: tensor<64xf32>) -> (tensor<2048x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %sum = tc.reduce sum %x dims [0] : tensor<2048x64xf32> -> tensor<64xf32>
  %count = tc.full 2048.0 : f32 -> tensor<64xf32>
  %mean = tc.div %sum, %count : tensor<64xf32>
  %means = tc.broadcast %mean dims [1] : tensor<64xf32> -> tensor<2048x64xf32>
  %d = tc.sub %x, %means : tensor<2048x64xf32>
  %squares = tc.mul %d, %d : tensor<2048x64xf32>
  %variance = tc.reduce sum %squares dims [0] : tensor<2048x64xf32> -> tensor<64xf32>
  %root = tc.rsqrt %variance : tensor<64xf32>
  %scale = tc.mul %root, %w : tensor<64xf32>
  %scales = tc.broadcast %scale dims [1] : tensor<64xf32> -> tensor<2048x64xf32>
  %y = tc.mul %d, %scales : tensor<2048x64xf32>
  return %y, %mean, %variance : tensor<2048x64xf32>, tensor<64xf32>, tensor<64xf32>
}

// Its gradient: two sums, and a value for each point with both of them.
func.func @gradient(%g: tensor<1900x72xbf16>, %x: tensor<1900x72xbf16>, %m: tensor<72xf32>) -> (tensor<1900x72xbf16>, tensor<72xf32>, tensor<72xf32>) {
  %gw = tc.cast %g : tensor<1900x72xbf16> to tensor<1900x72xf32>
  %xw = tc.cast %x : tensor<1900x72xbf16> to tensor<1900x72xf32>
  %means = tc.broadcast %m dims [1] : tensor<72xf32> -> tensor<1900x72xf32>
  %d = tc.sub %xw, %means : tensor<1900x72xf32>
  %p = tc.mul %gw, %d : tensor<1900x72xf32>
  %sum = tc.reduce sum %gw dims [0] : tensor<1900x72xf32> -> tensor<72xf32>
  %dot = tc.reduce sum %p dims [0] : tensor<1900x72xf32> -> tensor<72xf32>
  %sums = tc.broadcast %sum dims [1] : tensor<72xf32> -> tensor<1900x72xf32>
  %dots = tc.broadcast %dot dims [1] : tensor<72xf32> -> tensor<1900x72xf32>
  %q = tc.mul %d, %dots : tensor<1900x72xf32>
  %r = tc.sub %gw, %sums : tensor<1900x72xf32>
  %t = tc.add %r, %q : tensor<1900x72xf32>
  %y = tc.cast %t : tensor<1900x72xf32> to tensor<1900x72xbf16>
  return %y, %sum, %dot : tensor<1900x72xbf16>, tensor<72xf32>, tensor<72xf32>
}

// The distance of each element from the largest one of its column, where rows have a size by name.
func.func @largest(%x: tensor<?x64xf32, #tc.sizes<[s0, 64]>>) -> tensor<?x64xf32, #tc.sizes<[s0, 64]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2000, max = 4096>]} {
  %m = tc.reduce max %x dims [0] : tensor<?x64xf32, #tc.sizes<[s0, 64]>> -> tensor<64xf32>
  %ms = tc.broadcast %m dims [1] : tensor<64xf32> -> tensor<?x64xf32, #tc.sizes<[s0, 64]>>
  %d = tc.sub %x, %ms : tensor<?x64xf32, #tc.sizes<[s0, 64]>>
  return %d : tensor<?x64xf32, #tc.sizes<[s0, 64]>>
}

// The gradient of the weight of a depthwise convolution of images with channels last.
func.func @depthwise(%x: tensor<4x9x10x32xbf16>, %g: tensor<4x9x10x32xbf16>) -> tensor<1x32x3x3xbf16> {
  %0 = tc.transpose %x [3, 0, 1, 2] : tensor<4x9x10x32xbf16> -> tensor<32x4x9x10xbf16>
  %1 = tc.reshape %0 : tensor<32x4x9x10xbf16> -> tensor<1x128x9x10xbf16>
  %2 = tc.transpose %g [3, 0, 1, 2] : tensor<4x9x10x32xbf16> -> tensor<32x4x9x10xbf16>
  %3 = tc.convolution %1, %2 stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 32 : i64} : tensor<1x128x9x10xbf16>, tensor<32x4x9x10xbf16> -> tensor<1x32x3x3xbf16>
  return %3 : tensor<1x32x3x3xbf16>
}

// Windows of so many points that a product of matrices would be worth a copy of the images.
func.func @wide_windows(%x: tensor<8x8x7x32xbf16>, %g: tensor<8x8x7x32xbf16>) -> tensor<1x32x7x7xbf16> {
  %0 = tc.transpose %x [3, 0, 1, 2] : tensor<8x8x7x32xbf16> -> tensor<32x8x8x7xbf16>
  %1 = tc.reshape %0 : tensor<32x8x8x7xbf16> -> tensor<1x256x8x7xbf16>
  %2 = tc.transpose %g [3, 0, 1, 2] : tensor<8x8x7x32xbf16> -> tensor<32x8x8x7xbf16>
  %3 = tc.convolution %1, %2 stride [1, 1] padding [3, 3] dilation [1, 1] {groups = 32 : i64} : tensor<1x256x8x7xbf16>, tensor<32x8x8x7xbf16> -> tensor<1x32x7x7xbf16>
  return %3 : tensor<1x32x7x7xbf16>
}
