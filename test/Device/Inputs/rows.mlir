// Rows that are read several times on the way.

// types: f32 f16 bf16
func.func @softmax(%x: tensor<37x1000xf32>) -> tensor<37x1000xf32> {
  %r = tc.softmax %x dim 1 : tensor<37x1000xf32>
  return %r : tensor<37x1000xf32>
}

func.func @short_softmax(%x: tensor<1003x5xf32>) -> tensor<1003x5xf32> {
  %r = tc.softmax %x dim 1 : tensor<1003x5xf32>
  return %r : tensor<1003x5xf32>
}

func.func @column_softmax(%x: tensor<31x45xf32>) -> tensor<31x45xf32> {
  %r = tc.softmax %x dim 0 : tensor<31x45xf32>
  return %r : tensor<31x45xf32>
}

func.func @log_softmax(%x: tensor<3x50257xf32>) -> tensor<3x50257xf32> {
  %r = tc.log_softmax %x dim 1 : tensor<3x50257xf32>
  return %r : tensor<3x50257xf32>
}

// types: f32 f16 bf16
func.func @layer_norm(%x: tensor<33x769xf32>, %w: tensor<769xf32>, %b: tensor<769xf32>) -> tensor<33x769xf32> {
  %r = tc.layer_norm %x weight %w : tensor<769xf32> bias %b : tensor<769xf32> rank 1 eps 1.0e-5 : tensor<33x769xf32>
  return %r : tensor<33x769xf32>
}

// types: f32 bf16
func.func @residual_norm(%x: tensor<5x64xf32>, %y: tensor<5x64xf32>, %w: tensor<64xf32>) -> (tensor<5x64xf32>, tensor<5x64xf32>) {
  %s = tc.add %x, %y : tensor<5x64xf32>
  %r = tc.rms_norm %s weight %w : tensor<64xf32> rank 1 eps 1.0e-5 : tensor<5x64xf32>
  return %r, %s : tensor<5x64xf32>, tensor<5x64xf32>
}

func.func @entropy(%x: tensor<5x301xf32>) -> tensor<5xf32> {
  %p = tc.softmax %x dim 1 : tensor<5x301xf32>
  %l = tc.log %p : tensor<5x301xf32>
  %m = tc.mul %p, %l : tensor<5x301xf32>
  %s = tc.reduce sum %m dims [1] : tensor<5x301xf32> -> tensor<5xf32>
  %r = tc.neg %s : tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @padded_softmax(%x: tensor<5x301xf32>) -> tensor<6x310xf32> {
  %p = tc.softmax %x dim 1 : tensor<5x301xf32>
  %r = tc.pad constant %p low [1, 4] high [0, 5] value 2.0 : f32 : tensor<5x301xf32> -> tensor<6x310xf32>
  return %r : tensor<6x310xf32>
}

// The largest number of a row is a rounded product: less the same, it is 0.
// types: f32 f64
func.func @exponentials_of_products(%x: tensor<33x301xf32>) -> tensor<33x301xf32> {
  %c = tc.full 1.2345677e+04 : f32 -> tensor<33x301xf32>
  %p = tc.mul %x, %c : tensor<33x301xf32>
  %m = tc.reduce max %p dims [1] : tensor<33x301xf32> -> tensor<33xf32>
  %b = tc.broadcast %m dims [0] : tensor<33xf32> -> tensor<33x301xf32>
  %d = tc.sub %p, %b : tensor<33x301xf32>
  %r = tc.exp %d : tensor<33x301xf32>
  return %r : tensor<33x301xf32>
}
