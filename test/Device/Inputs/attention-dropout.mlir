// Attention with dropout and its gradients, which keep the same weights.

// Both rows of a thread have bits of one block of random words; rows and keys that are no multiples of 16 and of 32.
// types: bf16 f16
func.func @causal(%q: tensor<2x3x75x64xbf16>, %k: tensor<2x3x141x64xbf16>, %v: tensor<2x3x141x64xbf16>) -> (tensor<2x3x75x64xbf16>, tensor<2x3x75xf32>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.1 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 {causal} : tensor<2x3x75x64xbf16>, tensor<2x3x141x64xbf16>, tensor<2x3x141x64xbf16> -> tensor<2x3x75x64xbf16>, tensor<2x3x75xf32>
  return %o, %l : tensor<2x3x75x64xbf16>, tensor<2x3x75xf32>
}

// Heads that share keys keep other weights of these.
func.func @shared_keys(%q: tensor<1x4x20x32xbf16>, %k: tensor<1x2x70x32xbf16>, %v: tensor<1x2x70x32xbf16>) -> (tensor<1x4x20x32xbf16>, tensor<1x4x20xf32>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.5 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 : tensor<1x4x20x32xbf16>, tensor<1x2x70x32xbf16>, tensor<1x2x70x32xbf16> -> tensor<1x4x20x32xbf16>, tensor<1x4x20xf32>
  return %o, %l : tensor<1x4x20x32xbf16>, tensor<1x4x20xf32>
}

// One query of each head.
func.func @one_row(%q: tensor<2x3x1x64xbf16>, %k: tensor<2x3x40x64xbf16>, %v: tensor<2x3x40x64xbf16>) -> (tensor<2x3x1x64xbf16>, tensor<2x3x1xf32>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.3 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 : tensor<2x3x1x64xbf16>, tensor<2x3x40x64xbf16>, tensor<2x3x40x64xbf16> -> tensor<2x3x1x64xbf16>, tensor<2x3x1xf32>
  return %o, %l : tensor<2x3x1x64xbf16>, tensor<2x3x1xf32>
}

// Nothing is kept.
func.func @all_dropped(%q: tensor<2x16x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>) -> (tensor<2x16x64xbf16>, tensor<2x16xf32>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 1.0 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 : tensor<2x16x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16> -> tensor<2x16x64xbf16>, tensor<2x16xf32>
  return %o, %l : tensor<2x16x64xbf16>, tensor<2x16xf32>
}

// Of f32, whose weights are in memory.
// types: f32
func.func @floats(%q: tensor<2x2x9x8xf32>, %k: tensor<2x2x33x8xf32>, %v: tensor<2x2x33x8xf32>) -> (tensor<2x2x9x8xf32>, tensor<2x2x9xf32>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.1 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 : tensor<2x2x9x8xf32>, tensor<2x2x33x8xf32>, tensor<2x2x33x8xf32> -> tensor<2x2x9x8xf32>, tensor<2x2x9xf32>
  return %o, %l : tensor<2x2x9x8xf32>, tensor<2x2x9xf32>
}

// Gradients of 128 keys and of 64 of the next tile; queries are no multiple of 16.
func.func @gradients(%g: tensor<1x2x70x128xbf16>, %q: tensor<1x2x70x128xbf16>, %k: tensor<1x2x190x128xbf16>, %v: tensor<1x2x190x128xbf16>) -> (tensor<1x2x70x128xbf16>, tensor<1x2x190x128xbf16>, tensor<1x2x190x128xbf16>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.1 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.15 : tensor<1x2x70x128xbf16>, tensor<1x2x190x128xbf16>, tensor<1x2x190x128xbf16> -> tensor<1x2x70x128xbf16>, tensor<1x2x70xf32>
  %a = tc.cast %g : tensor<1x2x70x128xbf16> to tensor<1x2x70x128xf32>
  %b = tc.cast %o : tensor<1x2x70x128xbf16> to tensor<1x2x70x128xf32>
  %w = tc.mul %a, %b : tensor<1x2x70x128xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x70x128xf32> -> tensor<1x2x70xf32>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p dropout 0.1 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.15 : tensor<1x2x70x128xbf16>, tensor<1x2x70x128xbf16>, tensor<1x2x190x128xbf16>, tensor<1x2x190x128xbf16>, tensor<1x2x70xf32>, tensor<1x2x70xf32> -> tensor<1x2x70x128xf32>
  %gr = tc.cast %gq : tensor<1x2x70x128xf32> to tensor<1x2x70x128xbf16>
  return %gr, %gk, %gv : tensor<1x2x70x128xbf16>, tensor<1x2x190x128xbf16>, tensor<1x2x190x128xbf16>
}

// With a tile of fewer queries, of heads that share keys.
// types: bf16 f16
func.func @causal_gradients(%g: tensor<1x4x100x64xbf16>, %q: tensor<1x4x100x64xbf16>, %k: tensor<1x2x100x64xbf16>, %v: tensor<1x2x100x64xbf16>) -> (tensor<1x4x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>) {
  %s = tc.full 12345678901234 : i64 -> tensor<i64>
  %n = tc.full 3 : i64 -> tensor<i64>
  %o, %l = tc.attention %q, %k, %v dropout 0.4 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 {causal} : tensor<1x4x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16> -> tensor<1x4x100x64xbf16>, tensor<1x4x100xf32>
  %a = tc.cast %g : tensor<1x4x100x64xbf16> to tensor<1x4x100x64xf32>
  %b = tc.cast %o : tensor<1x4x100x64xbf16> to tensor<1x4x100x64xf32>
  %w = tc.mul %a, %b : tensor<1x4x100x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x4x100x64xf32> -> tensor<1x4x100xf32>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p dropout 0.4 seed %s offset %n : tensor<i64>, tensor<i64> scale 0.2 {causal} : tensor<1x4x100x64xbf16>, tensor<1x4x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x4x100xf32>, tensor<1x4x100xf32> -> tensor<1x4x100x64xf32>
  %gr = tc.cast %gq : tensor<1x4x100x64xf32> to tensor<1x4x100x64xbf16>
  return %gr, %gk, %gv : tensor<1x4x100x64xbf16>, tensor<1x2x100x64xbf16>, tensor<1x2x100x64xbf16>
}
