// Transposes, slices, concatenations and paddings: index maps instead of copies.

// types: f32 bf16 i64 i1
func.func @transpose(%x: tensor<67x131xf32>) -> tensor<131x67xf32> {
  %r = tc.transpose %x [1, 0] : tensor<67x131xf32> -> tensor<131x67xf32>
  return %r : tensor<131x67xf32>
}

func.func @permute(%x: tensor<3x5x7x11xf32>) -> tensor<11x5x3x7xf32> {
  %t = tc.transpose %x [3, 1, 0, 2] : tensor<3x5x7x11xf32> -> tensor<11x5x3x7xf32>
  %r = tc.exp %t : tensor<11x5x3x7xf32>
  return %r : tensor<11x5x3x7xf32>
}

// types: f32 bf16
func.func @concat(%x: tensor<5x9xf32>, %y: tensor<5x14xf32>) -> tensor<5x23xf32> {
  %c = tc.concat %x, %y dim 1 : tensor<5x9xf32>, tensor<5x14xf32> -> tensor<5x23xf32>
  %r = tc.neg %c : tensor<5x23xf32>
  return %r : tensor<5x23xf32>
}

func.func @concat_rows(%x: tensor<4x33xf32>, %y: tensor<9x33xf32>, %z: tensor<1x33xf32>) -> tensor<14x33xf32> {
  %r = tc.concat %x, %y, %z dim 0 : tensor<4x33xf32>, tensor<9x33xf32>, tensor<1x33xf32> -> tensor<14x33xf32>
  return %r : tensor<14x33xf32>
}

func.func @slices(%x: tensor<10x40xf32>) -> (tensor<3x40xf32>, tensor<10x13xf32>) {
  %a = tc.slice %x offsets <[2, 0]> strides [3, 1] : tensor<10x40xf32> -> tensor<3x40xf32>
  %b = tc.slice %x offsets <[0, 39]> strides [1, -3] : tensor<10x40xf32> -> tensor<10x13xf32>
  %c = tc.neg %a : tensor<3x40xf32>
  %d = tc.neg %b : tensor<10x13xf32>
  return %c, %d : tensor<3x40xf32>, tensor<10x13xf32>
}

func.func @pad(%x: tensor<4x8xf32>) -> (tensor<7x11xf32>, tensor<4x13xf32>) {
  %a = tc.pad constant %x low [3, 1] high [0, 2] value 1.5 : f32 : tensor<4x8xf32> -> tensor<7x11xf32>
  %b = tc.pad reflect %x low [0, 2] high [0, 3] : tensor<4x8xf32> -> tensor<4x13xf32>
  return %a, %b : tensor<7x11xf32>, tensor<4x13xf32>
}

func.func @iota(%x: tensor<6x5xi64>) -> tensor<6x5xi64> {
  %i = tc.iota dim 1 start 2 step 3 : tensor<6x5xi64>
  %r = tc.add %x, %i : tensor<6x5xi64>
  return %r : tensor<6x5xi64>
}

func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tc.constant dense<[1.0, -2.0, 3.5, 0.25]> : tensor<4xf32>
  %r = tc.mul %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The function returns an input, a view of one, and a constant.
func.func @views(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<24xf32>, tensor<2xf32>) {
  %r = tc.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %c = tc.constant dense<[1.0, -2.0]> : tensor<2xf32>
  return %x, %r, %c : tensor<4x6xf32>, tensor<24xf32>, tensor<2xf32>
}

// Rows of no whole vectors, in parts one after the other: two long rows for a GPU.
// types: f32 f16 i8
func.func @rows_after_rows(%x: tensor<41x127xf32>, %y: tensor<7x127xf32>, %z: tensor<33x127xf32>) -> tensor<81x127xf32> {
  %a = tc.concat %x, %y, %z dim 0 : tensor<41x127xf32>, tensor<7x127xf32>, tensor<33x127xf32> -> tensor<81x127xf32>
  %b = tc.neg %a : tensor<81x127xf32>
  return %b : tensor<81x127xf32>
}

// types: f32 bf16
func.func @rows_around_rows(%x: tensor<3x41x33xf32>) -> tensor<3x50x33xf32> {
  %a = tc.slice %x offsets <[0, 2, 0]> strides [1, 1, 1] : tensor<3x41x33xf32> -> tensor<3x38x33xf32>
  %b = tc.pad constant %a low [0, 5, 0] high [0, 7, 0] value 2.5 : f32 : tensor<3x38x33xf32> -> tensor<3x50x33xf32>
  return %b : tensor<3x50x33xf32>
}

// sizes: s0=1,s1=3 s0=77,s1=5
func.func @rows_after_rows_of_any_size(%x: tensor<?x127xf16, #tc.sizes<[s0, 127]>>, %y: tensor<?x127xf16, #tc.sizes<[s1, 127]>>) -> tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1000>, #tc.symbol<"s1", min = 1, max = 1000>]} {
  %a = tc.concat %x, %y dim 0 : tensor<?x127xf16, #tc.sizes<[s0, 127]>>, tensor<?x127xf16, #tc.sizes<[s1, 127]>> -> tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>>
  return %a : tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>>
}
