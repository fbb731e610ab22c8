// Weights from a file: read by calls, prepared when they are loaded, and laid out in another order.

tc.parameter_source @weight : tensor<40x65xf32> {file = "weights.bin", offset = 0 : i64, role = "parameter", strides = array<i64: 1, 40>}
tc.parameter_source @scale : tensor<65xf32> {file = "weights.bin", offset = 128 : i64, role = "parameter"}
tc.parameter_source @bias : tensor<40xf32> {file = "weights.bin", offset = 1024 : i64, role = "buffer"}

func.func @linear(%x: tensor<9x65xf32>) -> tensor<9x40xf32> {
  %w = tc.parameter @weight : tensor<40x65xf32>
  %b = tc.parameter @bias : tensor<40xf32>
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<9x65xf32>, tensor<40x65xf32> -> tensor<9x40xf32>
  %d = tc.broadcast %b dims [1] : tensor<40xf32> -> tensor<9x40xf32>
  %r = tc.add %c, %d : tensor<9x40xf32>
  return %r : tensor<9x40xf32>
}

func.func @prepared(%x: tensor<9x65xf32>) -> tensor<9x40xf32> {
  %w = tc.parameter @weight : tensor<40x65xf32>
  %s = tc.parameter @scale : tensor<65xf32>
  %b = tc.broadcast %s dims [1] : tensor<65xf32> -> tensor<40x65xf32>
  %p = tc.mul %w, %b : tensor<40x65xf32>
  %r = tc.contract "mk,nk->mn" %x, %p : tensor<9x65xf32>, tensor<40x65xf32> -> tensor<9x40xf32>
  return %r : tensor<9x40xf32>
}
