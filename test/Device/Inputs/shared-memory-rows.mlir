// Rows that blocks copy to shared memory: they begin anywhere, and may have a pitch, a stride, or a length that is not constant.

// types: f32 bf16 f16 f64
func.func @softmax(%x: tensor<1003x33xf32>) -> tensor<1003x33xf32> {
  %r = tc.softmax %x dim 1 : tensor<1003x33xf32>
  return %r : tensor<1003x33xf32>
}

// The last block has one row, less than what is copied at once.
// types: f32 bf16 i8
func.func @last_row(%x: tensor<129x3xf32>) -> tensor<129xf32> {
  %r = tc.reduce max %x dims [1] : tensor<129x3xf32> -> tensor<129xf32>
  return %r : tensor<129xf32>
}

// Rows with a pitch are copied one by one, those of every second element with what is between.
// types: f32 bf16
func.func @apart(%x: tensor<77x65xf32> {tc.strides = [#tc.expr<89>, #tc.expr<1>]}, %y: tensor<77x65xf32> {tc.strides = [#tc.expr<130>, #tc.expr<2>]}, %z: tensor<1x65xf32>, %w: tensor<77x1xf32>) -> (tensor<77x65xf32>, tensor<77xf32>) {
  %a = tc.broadcast %z dims [0, 1] : tensor<1x65xf32> -> tensor<77x65xf32>
  %b = tc.broadcast %w dims [0, 1] : tensor<77x1xf32> -> tensor<77x65xf32>
  %c = tc.mul %x, %a : tensor<77x65xf32>
  %d = tc.add %c, %y : tensor<77x65xf32>
  %e = tc.sub %d, %b : tensor<77x65xf32>
  %r = tc.log_softmax %e dim 1 : tensor<77x65xf32>
  %s = tc.reduce sum %r dims [1] : tensor<77x65xf32> -> tensor<77xf32>
  return %r, %s : tensor<77x65xf32>, tensor<77xf32>
}

// Results of another type than the inputs, and of several dimensions of rows.
func.func @narrower(%x: tensor<7x11x127xf32>) -> tensor<7x11x127xbf16> {
  %a = tc.softmax %x dim 2 : tensor<7x11x127xf32>
  %r = tc.cast %a : tensor<7x11x127xf32> to tensor<7x11x127xbf16>
  return %r : tensor<7x11x127xbf16>
}

// Vectors begin an element late.
// types: f32 bf16
func.func @late(%x: tensor<45x66xf32>) -> tensor<45x65xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<45x66xf32> -> tensor<45x65xf32>
  %r = tc.softmax %a dim 1 : tensor<45x65xf32>
  return %r : tensor<45x65xf32>
}

// Of a length that the example has, half of it, none, and one that does not fit.
// sizes: n=0,m=127 n=5,m=0 n=1,m=1 n=67,m=127 n=35,m=64 n=3,m=9001
// types: f32 bf16
func.func @unknown(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>) -> tensor<?x?xf32, #tc.sizes<[n, m]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 0, max = 100000, likely = 127>]} {
  %r = tc.softmax %x dim 1 : tensor<?x?xf32, #tc.sizes<[n, m]>>
  return %r : tensor<?x?xf32, #tc.sizes<[n, m]>>
}

// Rows of a block's threads, and one that is longer than registers hold.
// types: f32 bf16
func.func @long(%x: tensor<5x5003xf32>) -> tensor<5x5003xf32> {
  %r = tc.softmax %x dim 1 : tensor<5x5003xf32>
  return %r : tensor<5x5003xf32>
}
