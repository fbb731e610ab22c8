// Reductions over rows, columns, everything and the middle.

// types: f32 f16 bf16 f64 i32 i64
func.func @row(%x: tensor<13x1001xf32>) -> (tensor<13xf32>, tensor<13xf32>) {
  %s = tc.reduce sum %x dims [1] : tensor<13x1001xf32> -> tensor<13xf32>
  %m = tc.reduce max %x dims [1] : tensor<13x1001xf32> -> tensor<13xf32>
  return %s, %m : tensor<13xf32>, tensor<13xf32>
}

// types: f32 f16 bf16 i32
func.func @column(%x: tensor<301x70xf32>) -> tensor<70xf32> {
  %s = tc.reduce sum %x dims [0] : tensor<301x70xf32> -> tensor<70xf32>
  return %s : tensor<70xf32>
}

func.func @middle(%x: tensor<5x37x11xf32>) -> tensor<5x11xf32> {
  %s = tc.reduce min %x dims [1] : tensor<5x37x11xf32> -> tensor<5x11xf32>
  return %s : tensor<5x11xf32>
}

func.func @ends(%x: tensor<9x17x33xf32>) -> tensor<17xf32> {
  %s = tc.reduce sum %x dims [0, 2] : tensor<9x17x33xf32> -> tensor<17xf32>
  return %s : tensor<17xf32>
}

// types: f32 bf16
func.func @all(%x: tensor<99x101xf32>) -> tensor<f32> {
  %s = tc.reduce sum %x dims [0, 1] : tensor<99x101xf32> -> tensor<f32>
  return %s : tensor<f32>
}

func.func @short_rows(%x: tensor<1000x3xf32>) -> tensor<1000xf32> {
  %s = tc.reduce sum %x dims [1] : tensor<1000x3xf32> -> tensor<1000xf32>
  return %s : tensor<1000xf32>
}

func.func @long_row(%x: tensor<2x100003xf32>) -> tensor<2xf32> {
  %s = tc.reduce max %x dims [1] : tensor<2x100003xf32> -> tensor<2xf32>
  return %s : tensor<2xf32>
}

func.func @any(%x: tensor<7x65xi1>) -> tensor<7xi1> {
  %s = tc.reduce any %x dims [1] : tensor<7x65xi1> -> tensor<7xi1>
  return %s : tensor<7xi1>
}

// types: f32 i64
func.func @argmax(%x: tensor<7x65xf32>) -> tensor<7xi64> {
  %i = tc.arg_reduce argmax %x dim 1 : tensor<7x65xf32> -> tensor<7xi64>
  return %i : tensor<7xi64>
}

// types: f32 bf16
func.func @column_argmin(%x: tensor<65x9xf32>) -> tensor<9xi64> {
  %i = tc.arg_reduce argmin %x dim 0 : tensor<65x9xf32> -> tensor<9xi64>
  return %i : tensor<9xi64>
}
