// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-kernel

// Index maps have no minima: where the second part starts is none.
func.func @concat(%x: tensor<?xf32, #tc.sizes<[min(s0, s1)]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>, %z: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]} {
  // expected-error @+1 {{'tc.concat' op cannot become a kernel, as it has a size with a minimum or maximum, which no index map can have; use a symbol of its own for it}}
  %0 = tc.concat %x, %y dim 0 : tensor<?xf32, #tc.sizes<[min(s0, s1)]>>, tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>>
  return %0 : tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>>
}

// -----

// A convolution leaves no half of a kernel behind.
func.func @convolution(%x: tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, %w: tensor<4x4x3xf32>, %y: tensor<?xf32, #tc.sizes<[s0]>>, %z: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 3, max = 64>, #tc.symbol<"s1", min = 3, max = 64>]} {
  // expected-error @+1 {{'tc.convolution' op cannot become a kernel, as it has a size with a minimum or maximum, which no index map can have; use a symbol of its own for it}}
  %0 = tc.convolution %x, %w stride [1] padding [1] dilation [1] : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<4x4x3xf32> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  return %0 : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
}

// -----

// Neither has them a product of a dimension and a symbol: where the channels of a group begin.
func.func @groups(%x: tensor<2x?x8xf32, #tc.sizes<[2, s0*2, 8]>>, %w: tensor<4x?x3xf32, #tc.sizes<[4, s0, 3]>>) -> tensor<2x4x6xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @+1 {{'tc.convolution' op cannot become a kernel, as it has groups of a symbolic number of channels}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 2 : i64} : tensor<2x?x8xf32, #tc.sizes<[2, s0*2, 8]>>, tensor<4x?x3xf32, #tc.sizes<[4, s0, 3]>> -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
