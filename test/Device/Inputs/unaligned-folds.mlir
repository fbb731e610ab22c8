// Folds of columns and of all points whose vectors begin anywhere: inputs that begin a few elements late, and rows of odd
// length.

// types: f32 bf16 f16 i32 i8
func.func @columns(%x: tensor<1003x264xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<1003x264xf32> -> tensor<1003x256xf32>
  %s = tc.reduce sum %a dims [0] : tensor<1003x256xf32> -> tensor<256xf32>
  %m = tc.reduce max %a dims [0] : tensor<1003x256xf32> -> tensor<256xf32>
  return %s, %m : tensor<256xf32>, tensor<256xf32>
}

// The last rows end with the buffer, and blocks have one vector more.
// types: f32 bf16
func.func @columns_at_the_end(%x: tensor<2000x136xf32>) -> tensor<128xf32> {
  %a = tc.slice %x offsets <[0, 7]> strides [1, 1] : tensor<2000x136xf32> -> tensor<2000x128xf32>
  %b = tc.slice %x offsets <[0, 8]> strides [1, 1] : tensor<2000x136xf32> -> tensor<2000x128xf32>
  %c = tc.mul %a, %b : tensor<2000x128xf32>
  %s = tc.reduce sum %c dims [0] : tensor<2000x128xf32> -> tensor<128xf32>
  return %s : tensor<128xf32>
}

// Both begin equally early, once as far as is known.
// types: f32 f16
func.func @two_operands(%x: tensor<600x64xf32>, %y: tensor<600x64xf32>, %z: tensor<600x1xf32>, %w: tensor<1x56xf32>) -> tensor<56xf32> {
  %a = tc.slice %x offsets <[0, 3]> strides [1, 1] : tensor<600x64xf32> -> tensor<600x56xf32>
  %b = tc.slice %y offsets <[0, 3]> strides [1, 1] : tensor<600x64xf32> -> tensor<600x56xf32>
  %c = tc.broadcast %z dims [0, 1] : tensor<600x1xf32> -> tensor<600x56xf32>
  %d = tc.broadcast %w dims [0, 1] : tensor<1x56xf32> -> tensor<600x56xf32>
  %e = tc.mul %a, %b : tensor<600x56xf32>
  %f = tc.add %e, %c : tensor<600x56xf32>
  %g = tc.mul %f, %d : tensor<600x56xf32>
  %s = tc.reduce sum %g dims [0] : tensor<600x56xf32> -> tensor<56xf32>
  return %s : tensor<56xf32>
}

// types: f32 bf16
func.func @batches_of_columns(%x: tensor<7x50x80xf32>) -> tensor<7x70xf32> {
  %a = tc.slice %x offsets <[0, 0, 5]> strides [1, 1, 1] : tensor<7x50x80xf32> -> tensor<7x50x70xf32>
  %s = tc.reduce sum %a dims [1] : tensor<7x50x70xf32> -> tensor<7x70xf32>
  return %s : tensor<7x70xf32>
}

// types: f32 bf16
func.func @two_folded(%x: tensor<9x31x40xf32>) -> tensor<37xf32> {
  %a = tc.slice %x offsets <[0, 0, 2]> strides [1, 1, 1] : tensor<9x31x40xf32> -> tensor<9x31x37xf32>
  %s = tc.reduce sum %a dims [0, 1] : tensor<9x31x37xf32> -> tensor<37xf32>
  return %s : tensor<37xf32>
}

// types: f32 bf16
func.func @few_columns(%x: tensor<511x8xf32>) -> tensor<3xf32> {
  %a = tc.slice %x offsets <[0, 3]> strides [1, 1] : tensor<511x8xf32> -> tensor<511x3xf32>
  %s = tc.reduce sum %a dims [0] : tensor<511x3xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// sizes: n=0,m=8 n=1,m=8 n=2,m=40 n=300,m=8 n=300,m=128 n=301,m=136 n=77,m=131 n=5000,m=512
// types: f32 bf16
func.func @some_columns(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>) -> tensor<?xf32, #tc.sizes<[m - 5]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 8, max = 100000>]} {
  %a = tc.slice %x offsets <[0, 5]> strides [1, 1] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?x?xf32, #tc.sizes<[n, m - 5]>>
  %s = tc.reduce sum %a dims [0] : tensor<?x?xf32, #tc.sizes<[n, m - 5]>> -> tensor<?xf32, #tc.sizes<[m - 5]>>
  return %s : tensor<?xf32, #tc.sizes<[m - 5]>>
}

// types: f32 bf16 i32 i8
func.func @late_vector(%x: tensor<100003xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = tc.slice %x offsets <[3]> strides [1] : tensor<100003xf32> -> tensor<100000xf32>
  %s = tc.reduce sum %a dims [0] : tensor<100000xf32> -> tensor<f32>
  %m = tc.reduce max %a dims [0] : tensor<100000xf32> -> tensor<f32>
  return %s, %m : tensor<f32>, tensor<f32>
}

// types: f32 bf16
func.func @late_products(%x: tensor<20003xf32>, %y: tensor<20003xf32>) -> tensor<f32> {
  %a = tc.slice %x offsets <[1]> strides [1] : tensor<20003xf32> -> tensor<20001xf32>
  %b = tc.slice %y offsets <[2]> strides [1] : tensor<20003xf32> -> tensor<20001xf32>
  %c = tc.mul %a, %b : tensor<20001xf32>
  %s = tc.reduce sum %c dims [0] : tensor<20001xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// sizes: n=2 n=3 n=4 n=5 n=8 n=9 n=16 n=17 n=25 n=26 n=1000 n=70001
// types: f32 bf16
func.func @some_points(%x: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"n", min = 2, max = 1000000>]} {
  %a = tc.slice %x offsets <[1]> strides [1] : tensor<?xf32, #tc.sizes<[n]>> -> tensor<?xf32, #tc.sizes<[n - 1]>>
  %s = tc.reduce sum %a dims [0] : tensor<?xf32, #tc.sizes<[n - 1]>> -> tensor<f32>
  return %s : tensor<f32>
}

// Each row begins elsewhere.
// types: f32 bf16
func.func @long_rows(%x: tensor<3x50001xf32>, %y: tensor<3x50001xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = tc.mul %x, %y : tensor<3x50001xf32>
  %s = tc.reduce sum %a dims [1] : tensor<3x50001xf32> -> tensor<3xf32>
  %m = tc.reduce max %a dims [1] : tensor<3x50001xf32> -> tensor<3xf32>
  return %s, %m : tensor<3xf32>, tensor<3xf32>
}

// types: f32 bf16
func.func @longer_rows(%x: tensor<300x3001xf32>, %y: tensor<300x1xf32>) -> tensor<f32> {
  %a = tc.broadcast %y dims [0, 1] : tensor<300x1xf32> -> tensor<300x3001xf32>
  %b = tc.sub %x, %a : tensor<300x3001xf32>
  %s = tc.reduce sum %b dims [0, 1] : tensor<300x3001xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// types: f32 bf16 i32
func.func @place_of_largest(%x: tensor<70003xf32>) -> tensor<i64> {
  %a = tc.slice %x offsets <[2]> strides [1] : tensor<70003xf32> -> tensor<70001xf32>
  %i = tc.arg_reduce argmax %a dim 0 : tensor<70001xf32> -> tensor<i64>
  return %i : tensor<i64>
}

// types: f32 bf16
func.func @odd_rows(%x: tensor<2001x33xf32>, %y: tensor<2001x1xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = tc.broadcast %y dims [0, 1] : tensor<2001x1xf32> -> tensor<2001x33xf32>
  %b = tc.mul %x, %a : tensor<2001x33xf32>
  %s = tc.reduce sum %b dims [0, 1] : tensor<2001x33xf32> -> tensor<f32>
  %m = tc.reduce max %b dims [0, 1] : tensor<2001x33xf32> -> tensor<f32>
  return %s, %m : tensor<f32>, tensor<f32>
}

// types: f32 bf16
func.func @odd_rows_less_one(%x: tensor<1301x127xf32>, %y: tensor<1x127xf32>) -> tensor<f32> {
  %a = tc.broadcast %y dims [0, 1] : tensor<1x127xf32> -> tensor<1301x127xf32>
  %b = tc.maximum %x, %a : tensor<1301x127xf32>
  %s = tc.reduce sum %b dims [0, 1] : tensor<1301x127xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// sizes: n=0,m=5 n=1,m=1 n=1,m=16 n=1,m=17 n=2,m=15 n=3,m=16 n=500,m=3 n=500,m=33 n=5,m=4096 n=301,m=127
// types: f32 bf16
func.func @some_rows(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>, %y: tensor<?x1xf32, #tc.sizes<[n, 1]>>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 1, max = 100000>]} {
  %a = tc.broadcast %y dims [0, 1] : tensor<?x1xf32, #tc.sizes<[n, 1]>> -> tensor<?x?xf32, #tc.sizes<[n, m]>>
  %b = tc.mul %x, %a : tensor<?x?xf32, #tc.sizes<[n, m]>>
  %s = tc.reduce sum %b dims [0, 1] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<f32>
  return %s : tensor<f32>
}
