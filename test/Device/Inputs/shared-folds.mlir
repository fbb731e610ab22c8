// Few long rows and columns, which blocks fold in parts, and rows of any length.

// types: f32 f16 bf16 i32
func.func @columns(%x: tensor<40003x10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
  %s = tc.reduce sum %x dims [0] : tensor<40003x10xf32> -> tensor<10xf32>
  %m = tc.reduce max %x dims [0] : tensor<40003x10xf32> -> tensor<10xf32>
  return %s, %m : tensor<10xf32>, tensor<10xf32>
}

// types: f32 bf16
func.func @wide_columns(%x: tensor<1500x264xf32>) -> tensor<264xf32> {
  %s = tc.reduce sum %x dims [0] : tensor<1500x264xf32> -> tensor<264xf32>
  %c = tc.constant dense<0.125> : tensor<264xf32>
  %r = tc.mul %s, %c : tensor<264xf32>
  return %r : tensor<264xf32>
}

// types: f32 f16 bf16 i32 i64
func.func @all(%x: tensor<1301x127xf32>) -> tensor<f32> {
  %s = tc.reduce sum %x dims [0, 1] : tensor<1301x127xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// types: f32 bf16
func.func @largest_of_all(%x: tensor<1301x128xf32>) -> tensor<f32> {
  %s = tc.reduce max %x dims [0, 1] : tensor<1301x128xf32> -> tensor<f32>
  return %s : tensor<f32>
}

func.func @place_of_largest(%x: tensor<150001xf32>) -> tensor<i64> {
  %s = tc.arg_reduce argmax %x dim 0 : tensor<150001xf32> -> tensor<i64>
  return %s : tensor<i64>
}

// sizes: s0=0 s0=1 s0=5 s0=127 s0=4099 s0=33000
func.func @unknown_columns(%x: tensor<?x9xf32, #tc.sizes<[s0, 9]>>) -> tensor<9xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>]} {
  %s = tc.reduce sum %x dims [0] : tensor<?x9xf32, #tc.sizes<[s0, 9]>> -> tensor<9xf32>
  return %s : tensor<9xf32>
}

// sizes: s0=0 s0=3 s0=1024 s0=300001
func.func @unknown_row(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>]} {
  %s = tc.reduce sum %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
  return %s : tensor<f32>
}

// types: f32 bf16
// sizes: s0=0,s1=4 s0=5,s1=1 s0=7,s1=33 s0=40,s1=128 s0=3,s1=1023 s0=3,s1=1024 s0=5,s1=1025 s0=4,s1=5000 s0=2,s1=16384 s0=2,s1=17000
func.func @rows_of_any_length(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>, #tc.symbol<"s1", min = 1, max = 1000000>]} {
  %r = tc.softmax %x dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %r : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// types: f32 f16 bf16
func.func @rows_of_17(%x: tensor<203x17xf32>, %y: tensor<17xf32>) -> tensor<203x17xf32> {
  %w = tc.broadcast %y dims [1] : tensor<17xf32> -> tensor<203x17xf32>
  %a = tc.mul %x, %w : tensor<203x17xf32>
  %r = tc.softmax %a dim 1 : tensor<203x17xf32>
  return %r : tensor<203x17xf32>
}

// types: f32 bf16
func.func @rows_of_1023(%x: tensor<9x1023xf32>, %w: tensor<1023xf32>, %b: tensor<1023xf32>) -> tensor<9x1023xf32> {
  %r = tc.layer_norm %x weight %w : tensor<1023xf32> bias %b : tensor<1023xf32> rank 1 eps 1.0e-5 : tensor<9x1023xf32>
  return %r : tensor<9x1023xf32>
}

// types: f32 bf16
func.func @sums_of_rows_of_127(%x: tensor<99x127xf32>) -> tensor<99xf32> {
  %s = tc.reduce sum %x dims [1] : tensor<99x127xf32> -> tensor<99xf32>
  return %s : tensor<99xf32>
}

// types: f32 bf16
func.func @few_rows(%x: tensor<3x260xf32>, %w: tensor<33x260xf32>) -> tensor<3x33xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<3x260xf32>, tensor<33x260xf32> -> tensor<3x33xf32>
  return %0 : tensor<3x33xf32>
}

// Folds along both dimensions where a factor varies along one: one walk over all points, whose rows are no whole vectors or are.
// types: f32 bf16
func.func @all_with_row_factor(%x: tensor<9001x33xf32>, %y: tensor<9001x1xf32>) -> tensor<f32> {
  %0 = tc.broadcast %y dims [0, 1] : tensor<9001x1xf32> -> tensor<9001x33xf32>
  %1 = tc.mul %x, %0 : tensor<9001x33xf32>
  %s = tc.reduce sum %1 dims [0, 1] : tensor<9001x33xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// types: f32 bf16
func.func @all_with_column_factor(%x: tensor<1301x128xf32>, %y: tensor<1x128xf32>) -> tensor<f32> {
  %0 = tc.broadcast %y dims [0, 1] : tensor<1x128xf32> -> tensor<1301x128xf32>
  %1 = tc.mul %x, %0 : tensor<1301x128xf32>
  %s = tc.reduce max %1 dims [0, 1] : tensor<1301x128xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// types: f32 bf16
// sizes: s0=0,s1=128 s0=3,s1=0 s0=1,s1=1 s0=1201,s1=128 s0=1201,s1=127 s0=3,s1=100000
func.func @all_of_unknown_rows(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %y: tensor<?x1xf32, #tc.sizes<[s0, 1]>>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>, #tc.symbol<"s1", min = 0, max = 1000000>]} {
  %0 = tc.broadcast %y dims [0, 1] : tensor<?x1xf32, #tc.sizes<[s0, 1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.add %x, %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %s = tc.reduce sum %1 dims [0, 1] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<f32>
  return %s : tensor<f32>
}
