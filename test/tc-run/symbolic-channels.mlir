// RUN: tc-run %s --function=direct --size=s0=3 --size=s1=5 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=direct --size=s0=64 --size=s1=33 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=direct --size=s0=1 --size=s1=1 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=transposed --size=s0=6 --size=s1=7 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=grouped --size=s0=5 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=imported --size=s0=6 --size=s1=7 --size=s2=6 --random-inputs=1 --check --threads=2
// RUN: not tc-run %s --function=imported --size=s0=6 --size=s1=7 --size=s2=5 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=UNEQUAL

// A convolution without groups folds any number of channels into any other.
func.func @direct(%x: tensor<2x?x9x8xf32, #tc.sizes<[2, s0, 9, 8]>>, %w: tensor<?x?x3x3xf32, #tc.sizes<[s1, s0, 3, 3]>>) -> tensor<2x?x9x4xf32, #tc.sizes<[2, s1, 9, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>, #tc.symbol<"s1", min = 1, max = 64>]} {
  %0 = tc.convolution %x, %w stride [1, 2] padding [1, 1] dilation [1, 1] : tensor<2x?x9x8xf32, #tc.sizes<[2, s0, 9, 8]>>, tensor<?x?x3x3xf32, #tc.sizes<[s1, s0, 3, 3]>> -> tensor<2x?x9x4xf32, #tc.sizes<[2, s1, 9, 4]>>
  return %0 : tensor<2x?x9x4xf32, #tc.sizes<[2, s1, 9, 4]>>
}

func.func @transposed(%x: tensor<2x?x8xbf16, #tc.sizes<[2, s0, 8]>>, %w: tensor<?x?x4xbf16, #tc.sizes<[s0, s1, 4]>>) -> tensor<2x?x16xbf16, #tc.sizes<[2, s1, 16]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>, #tc.symbol<"s1", min = 1, max = 64>]} {
  %0 = tc.convolution %x, %w stride [2] padding [1] dilation [1] {transposed} : tensor<2x?x8xbf16, #tc.sizes<[2, s0, 8]>>, tensor<?x?x4xbf16, #tc.sizes<[s0, s1, 4]>> -> tensor<2x?x16xbf16, #tc.sizes<[2, s1, 16]>>
  return %0 : tensor<2x?x16xbf16, #tc.sizes<[2, s1, 16]>>
}

// Groups of any number of channels.
func.func @grouped(%x: tensor<2x?x8xf32, #tc.sizes<[2, s0 * 3, 8]>>, %w: tensor<6x?x3xf32, #tc.sizes<[6, s0, 3]>>) -> tensor<2x6x8xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.convolution %x, %w stride [1] padding [1] dilation [1] {groups = 3 : i64} : tensor<2x?x8xf32, #tc.sizes<[2, s0 * 3, 8]>>, tensor<6x?x3xf32, #tc.sizes<[6, s0, 3]>> -> tensor<2x6x8xf32>
  return %0 : tensor<2x6x8xf32>
}

// The channels of weight and input must be equal. The bias goes along the channels.
// UNEQUAL: tc-run: error: size 1 of input 1 is 5, expected s2 = 6
func.func @imported(%x: tensor<2x?x8xf32, #tc.sizes<[2, s0, 8]>>, %w: tensor<?x?x3xf32, #tc.sizes<[s1, s2, 3]>>, %b: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<2x?x6xf32, #tc.sizes<[2, s1, 6]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>, #tc.symbol<"s1", min = 1, max = 64>, #tc.symbol<"s2", min = 1, max = 64>]} {
  %0 = tc.aten "aten.conv1d.default"(%x, %w, %b) {input = #tc.operand<0>, weight = #tc.operand<1>, bias = #tc.operand<2>} : (tensor<2x?x8xf32, #tc.sizes<[2, s0, 8]>>, tensor<?x?x3xf32, #tc.sizes<[s1, s2, 3]>>, tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<2x?x6xf32, #tc.sizes<[2, s1, 6]>>
  return %0 : tensor<2x?x6xf32, #tc.sizes<[2, s1, 6]>>
}
