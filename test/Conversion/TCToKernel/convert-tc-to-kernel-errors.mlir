// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-kernel

// No index map has a product of a dimension and a symbol: where the channels of a group begin.
func.func @groups(%x: tensor<2x?x8xf32, #tc.sizes<[2, s0*2, 8]>>, %w: tensor<?x2x3xf32, #tc.sizes<[s0*2, 2, 3]>>) -> tensor<2x4x10xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @+1 {{'tc.convolution' op cannot become a kernel, as it has groups of a symbolic number of channels}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 2 : i64, transposed} : tensor<2x?x8xf32, #tc.sizes<[2, s0*2, 8]>>, tensor<?x2x3xf32, #tc.sizes<[s0*2, 2, 3]>> -> tensor<2x4x10xf32>
  return %0 : tensor<2x4x10xf32>
}
