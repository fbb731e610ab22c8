// Rows whose vectors begin anywhere: sizes that are no multiples of a vector, and operands that begin an element late.

// types: f32 bf16 f16 f64 i64 i8
func.func @odd_rows(%x: tensor<37x67xf32>, %y: tensor<37x67xf32>) -> tensor<37x65xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<37x67xf32> -> tensor<37x65xf32>
  %b = tc.slice %y offsets <[0, 2]> strides [1, 1] : tensor<37x67xf32> -> tensor<37x65xf32>
  %r = tc.add %a, %b : tensor<37x65xf32>
  return %r : tensor<37x65xf32>
}

// The results' vectors are aligned, the operand's are not.
// types: f32 bf16 i8
func.func @late_operand(%x: tensor<20x129xf32>, %y: tensor<20x128xf32>) -> tensor<20x128xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<20x129xf32> -> tensor<20x128xf32>
  %r = tc.add %a, %y : tensor<20x128xf32>
  return %r : tensor<20x128xf32>
}

// types: f32 bf16
func.func @row_and_column(%x: tensor<41x33xf32>, %y: tensor<41x1xf32>, %z: tensor<1x33xf32>) -> tensor<41x33xf32> {
  %a = tc.broadcast %y dims [0, 1] : tensor<41x1xf32> -> tensor<41x33xf32>
  %b = tc.broadcast %z dims [0, 1] : tensor<1x33xf32> -> tensor<41x33xf32>
  %c = tc.mul %x, %a : tensor<41x33xf32>
  %r = tc.add %c, %b : tensor<41x33xf32>
  return %r : tensor<41x33xf32>
}

// types: f32 bf16
func.func @long_rows(%x: tensor<3x5003xf32>, %y: tensor<3x1xf32>) -> tensor<3x5003xf32> {
  %a = tc.broadcast %y dims [0, 1] : tensor<3x1xf32> -> tensor<3x5003xf32>
  %r = tc.sub %x, %a : tensor<3x5003xf32>
  return %r : tensor<3x5003xf32>
}

// Vectors of two types, and two results.
func.func @mixed(%x: tensor<19x101xbf16>, %y: tensor<19x1xf32>) -> (tensor<19x101xf32>, tensor<19x101xbf16>) {
  %w = tc.cast %x : tensor<19x101xbf16> to tensor<19x101xf32>
  %a = tc.broadcast %y dims [0, 1] : tensor<19x1xf32> -> tensor<19x101xf32>
  %r = tc.add %w, %a : tensor<19x101xf32>
  %n = tc.cast %r : tensor<19x101xf32> to tensor<19x101xbf16>
  return %r, %n : tensor<19x101xf32>, tensor<19x101xbf16>
}

// types: f32 bf16 i8
func.func @concat(%x: tensor<29x33xf32>, %y: tensor<29x50xf32>, %z: tensor<29x1xf32>) -> tensor<29x84xf32> {
  %r = tc.concat %x, %y, %z dim 1 : tensor<29x33xf32>, tensor<29x50xf32>, tensor<29x1xf32> -> tensor<29x84xf32>
  return %r : tensor<29x84xf32>
}

// types: f32 bf16
func.func @roll(%x: tensor<13x64xf32>) -> tensor<13x64xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<13x64xf32> -> tensor<13x63xf32>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<13x64xf32> -> tensor<13x1xf32>
  %c = tc.concat %a, %b dim 1 : tensor<13x63xf32>, tensor<13x1xf32> -> tensor<13x64xf32>
  %r = tc.neg %c : tensor<13x64xf32>
  return %r : tensor<13x64xf32>
}

// types: f32 bf16
func.func @pad(%x: tensor<11x56xf32>, %y: tensor<11x65xf32>) -> tensor<11x65xf32> {
  %a = tc.pad constant %x low [0, 3] high [0, 6] value 1.5 : f32 : tensor<11x56xf32> -> tensor<11x65xf32>
  %r = tc.add %a, %y : tensor<11x65xf32>
  return %r : tensor<11x65xf32>
}

// types: f32 bf16
// sizes: n=0,m=5 n=1,m=1 n=3,m=7 n=5,m=16 n=7,m=129 n=1000,m=33
func.func @symbolic(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>, %y: tensor<?x1xf32, #tc.sizes<[n, 1]>>) -> tensor<?x?xf32, #tc.sizes<[n, m]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 4096>, #tc.symbol<"m", min = 0, max = 4096>]} {
  %a = tc.broadcast %y dims [0, 1] : tensor<?x1xf32, #tc.sizes<[n, 1]>> -> tensor<?x?xf32, #tc.sizes<[n, m]>>
  %r = tc.add %x, %a : tensor<?x?xf32, #tc.sizes<[n, m]>>
  return %r : tensor<?x?xf32, #tc.sizes<[n, m]>>
}

// types: f32 bf16 f64 i8
// sizes: n=0,m=5 n=1,m=1 n=3,m=200 n=63,m=65 n=64,m=128 n=129,m=71
func.func @transpose(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>, %y: tensor<?x1xf32, #tc.sizes<[m, 1]>>) -> tensor<?x?xf32, #tc.sizes<[m, n]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 4096>, #tc.symbol<"m", min = 0, max = 4096>]} {
  %t = tc.transpose %x [1, 0] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  %a = tc.broadcast %y dims [0, 1] : tensor<?x1xf32, #tc.sizes<[m, 1]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  %r = tc.add %t, %a : tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %r : tensor<?x?xf32, #tc.sizes<[m, n]>>
}

// Tiles that are all there and others, of several inputs and operands in the results' order, some aligned as the results are.
// types: f32 bf16 f64 i8
// sizes: n=300,m=277 n=320,m=256 n=257,m=320 n=288,m=261
func.func @transposed_tiles(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>, %y: tensor<?x?xf32, #tc.sizes<[m, n]>>, %z: tensor<1x?xf32, #tc.sizes<[1, n]>>) -> tensor<?x?xf32, #tc.sizes<[m, n]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 4096>, #tc.symbol<"m", min = 0, max = 4096>]} {
  %t = tc.transpose %x [1, 0] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  %a = tc.add %t, %y : tensor<?x?xf32, #tc.sizes<[m, n]>>
  %b = tc.broadcast %z dims [0, 1] : tensor<1x?xf32, #tc.sizes<[1, n]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  %r = tc.sub %a, %b : tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %r : tensor<?x?xf32, #tc.sizes<[m, n]>>
}

// An input and an operand that begin late.
// types: f32 bf16
func.func @late_transpose(%x: tensor<200x270xf32>, %y: tensor<266x203xf32>) -> tensor<266x200xf32> {
  %a = tc.slice %x offsets <[0, 3]> strides [1, 1] : tensor<200x270xf32> -> tensor<200x266xf32>
  %b = tc.slice %y offsets <[0, 1]> strides [1, 1] : tensor<266x203xf32> -> tensor<266x200xf32>
  %t = tc.transpose %a [1, 0] : tensor<200x266xf32> -> tensor<266x200xf32>
  %r = tc.add %t, %b : tensor<266x200xf32>
  return %r : tensor<266x200xf32>
}

// Vectors of two types, and two results; a copy as it is stored.
func.func @mixed_transpose(%x: tensor<2x199x211xbf16>, %y: tensor<2x199x211xf32>) -> (tensor<2x211x199xf32>, tensor<2x211x199xbf16>) {
  %t = tc.transpose %x [0, 2, 1] : tensor<2x199x211xbf16> -> tensor<2x211x199xbf16>
  %u = tc.transpose %y [0, 2, 1] : tensor<2x199x211xf32> -> tensor<2x211x199xf32>
  %w = tc.cast %t : tensor<2x211x199xbf16> to tensor<2x211x199xf32>
  %r = tc.add %w, %u : tensor<2x211x199xf32>
  return %r, %t : tensor<2x211x199xf32>, tensor<2x211x199xbf16>
}

// types: f32 bf16
func.func @batched_transpose(%x: tensor<3x131x77xf32>, %y: tensor<3x131x77xf32>, %z: tensor<3x77x131xf32>) -> tensor<3x77x131xf32> {
  %a = tc.sub %x, %y : tensor<3x131x77xf32>
  %t = tc.transpose %a [0, 2, 1] : tensor<3x131x77xf32> -> tensor<3x77x131xf32>
  %r = tc.mul %t, %z : tensor<3x77x131xf32>
  return %r : tensor<3x77x131xf32>
}

// types: f32 bf16
func.func @permute(%x: tensor<3x71x67xf32>) -> (tensor<71x3x67xf32>, tensor<67x71x3xf32>) {
  %a = tc.transpose %x [1, 0, 2] : tensor<3x71x67xf32> -> tensor<71x3x67xf32>
  %b = tc.transpose %x [2, 1, 0] : tensor<3x71x67xf32> -> tensor<67x71x3xf32>
  %c = tc.neg %a : tensor<71x3x67xf32>
  %d = tc.neg %b : tensor<67x71x3xf32>
  return %c, %d : tensor<71x3x67xf32>, tensor<67x71x3xf32>
}

// types: f32 bf16 f16
func.func @gather_rows(%x: tensor<50x99xf32>, %i: tensor<31xi64>) -> tensor<31x99xf32> {
  %z = tc.full 0 : i64 -> tensor<31xi64>
  %j = tc.mul %i, %z : tensor<31xi64>
  %a = tc.index_tensors %x[%j] dims [0] : tensor<50x99xf32>, tensor<31xi64> -> tensor<31x99xf32>
  %r = tc.neg %a : tensor<31x99xf32>
  return %r : tensor<31x99xf32>
}

// A row of each channel has a piece in each image, which begin at different distances from an aligned address.
// sizes: n=1 n=16 n=35 n=2050
// types: f32 bf16
func.func @pieces(%x: tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>>) -> tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 1000000>]} {
  %s = tc.reduce max %x dims [0, 2] : tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>> -> tensor<3xf32>
  %b = tc.broadcast %s dims [1] : tensor<3xf32> -> tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>>
  %r = tc.sub %x, %b : tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>>
  return %r : tensor<2x3x?xf32, #tc.sizes<[2, 3, n]>>
}
