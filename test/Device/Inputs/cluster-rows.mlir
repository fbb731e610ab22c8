// Rows that the blocks of a cluster share: in shared memory, whole vectors of the last unit, with an operand that all rows have in common; of two folds
// and of one; in registers where elements have a stride; of a view that is not aligned, which each stage reads again.
// types: f32 bf16
func.func @softmax_of_pieces(%x: tensor<3x40004xf32>, %b: tensor<40004xf32>) -> tensor<3x40004xf32> {
  %0 = tc.broadcast %b dims [1] : tensor<40004xf32> -> tensor<3x40004xf32>
  %1 = tc.add %x, %0 : tensor<3x40004xf32>
  %2 = tc.softmax %1 dim 1 : tensor<3x40004xf32>
  return %2 : tensor<3x40004xf32>
}

// types: bf16 f32
func.func @less_its_largest(%x: tensor<2x65544xbf16>) -> tensor<2x65544xbf16> {
  %0 = tc.reduce max %x dims [1] : tensor<2x65544xbf16> -> tensor<2xbf16>
  %1 = tc.broadcast %0 dims [0] : tensor<2xbf16> -> tensor<2x65544xbf16>
  %2 = tc.sub %x, %1 : tensor<2x65544xbf16>
  return %2 : tensor<2x65544xbf16>
}

func.func @where_it_is_largest(%x: tensor<3x33000xf32>) -> (tensor<3x33000xf32>, tensor<3xi64>) {
  %0 = tc.softmax %x dim 1 : tensor<3x33000xf32>
  %1 = tc.arg_reduce argmax %x dim 1 : tensor<3x33000xf32> -> tensor<3xi64>
  return %0, %1 : tensor<3x33000xf32>, tensor<3xi64>
}

func.func @every_second(%x: tensor<2x80000xbf16>) -> tensor<2x40000xbf16> {
  %0 = tc.slice %x offsets <[0, 0]> strides [1, 2] : tensor<2x80000xbf16> -> tensor<2x40000xbf16>
  %1 = tc.softmax %0 dim 1 : tensor<2x40000xbf16>
  return %1 : tensor<2x40000xbf16>
}

func.func @begins_late(%x: tensor<2x36004xf32>) -> tensor<2x36000xf32> {
  %0 = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<2x36004xf32> -> tensor<2x36000xf32>
  %1 = tc.softmax %0 dim 1 : tensor<2x36000xf32>
  return %1 : tensor<2x36000xf32>
}
