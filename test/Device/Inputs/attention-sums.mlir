// Attention of bf16 and f16 that writes the logarithm of the sums of its rows: on an sm_90a GPU with the schedules of attention that does not.

func.func @causal(%q: tensor<1x2x70x64xbf16>, %k: tensor<1x2x70x64xbf16>, %v: tensor<1x2x70x64xbf16>) -> (tensor<1x2x70x64xbf16>, tensor<1x2x70xf32>) {
  %r, %l = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x2x70x64xbf16>, tensor<1x2x70x64xbf16>, tensor<1x2x70x64xbf16> -> tensor<1x2x70x64xbf16>, tensor<1x2x70xf32>
  return %r, %l : tensor<1x2x70x64xbf16>, tensor<1x2x70xf32>
}

// Heads share keys; rows of 128 columns are stored by the copy engine.
func.func @shared(%q: tensor<1x2x20x128xf16>, %k: tensor<1x1x70x128xf16>, %v: tensor<1x1x70x128xf16>) -> (tensor<1x2x20x128xf16>, tensor<1x2x20xf32>) {
  %r, %l = tc.attention %q, %k, %v scale 0.1 : tensor<1x2x20x128xf16>, tensor<1x1x70x128xf16>, tensor<1x1x70x128xf16> -> tensor<1x2x20x128xf16>, tensor<1x2x20xf32>
  return %r, %l : tensor<1x2x20x128xf16>, tensor<1x2x20xf32>
}

// Blocks of a cluster share the keys of one query; heads are rows of a tile.
func.func @one_query(%q: tensor<1x8x1x64xbf16>, %k: tensor<1x2x1500x64xbf16>, %v: tensor<1x2x1500x64xbf16>) -> (tensor<1x8x1x64xbf16>, tensor<1x8x1xf32>) {
  %r, %l = tc.attention %q, %k, %v scale 0.125 : tensor<1x8x1x64xbf16>, tensor<1x2x1500x64xbf16>, tensor<1x2x1500x64xbf16> -> tensor<1x8x1x64xbf16>, tensor<1x8x1xf32>
  return %r, %l : tensor<1x8x1x64xbf16>, tensor<1x8x1xf32>
}

// Rows without a key have sums of 0; 20 columns are fewer than are multiplied.
func.func @masked(%q: tensor<2x40x32xbf16>, %k: tensor<2x50x32xbf16>, %v: tensor<2x50x20xbf16>) -> (tensor<2x40x20xbf16>, tensor<2x40xf32>) {
  %i = tc.iota dim 0 start 0 step 1 : tensor<40x50xi64>
  %ten = tc.full 10 : i64 -> tensor<40x50xi64>
  %m = tc.ge %i, %ten : tensor<40x50xi64>
  %r, %l = tc.attention %q, %k, %v mask %m : tensor<40x50xi1> scale 0.2 : tensor<2x40x32xbf16>, tensor<2x50x32xbf16>, tensor<2x50x20xbf16> -> tensor<2x40x20xbf16>, tensor<2x40xf32>
  return %r, %l : tensor<2x40x20xbf16>, tensor<2x40xf32>
}

// More of the rows than is read later, by any functions of their sums.
func.func @rows_alone(%q: tensor<1x64x64xbf16>, %k: tensor<1x77x64xbf16>, %v: tensor<1x77x64xbf16>, %x: tensor<1x64xbf16>) -> (tensor<1x64x64xbf16>, tensor<1x64xbf16>) {
  %r, %l = tc.attention %q, %k, %v scale 0.125 : tensor<1x64x64xbf16>, tensor<1x77x64xbf16>, tensor<1x77x64xbf16> -> tensor<1x64x64xbf16>, tensor<1x64xf32>
  %n = tc.cast %l : tensor<1x64xf32> to tensor<1x64xbf16>
  %s = tc.mul %n, %x : tensor<1x64xbf16>
  return %r, %s : tensor<1x64x64xbf16>, tensor<1x64xbf16>
}
