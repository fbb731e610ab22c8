// Gradients of attention of bf16 and f16: on an sm_90a GPU one kernel, whose blocks add to the gradients of the queries in turn.

// Two heads share keys, whose last tile is cut.
func.func @shared(%g: tensor<1x4x70x64xbf16>, %q: tensor<1x4x70x64xbf16>, %k: tensor<1x2x200x64xbf16>, %v: tensor<1x2x200x64xbf16>) -> (tensor<1x4x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>) {
  %o, %l = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x4x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16> -> tensor<1x4x70x64xbf16>, tensor<1x4x70xf32>
  %gw = tc.cast %g : tensor<1x4x70x64xbf16> to tensor<1x4x70x64xf32>
  %ow = tc.cast %o : tensor<1x4x70x64xbf16> to tensor<1x4x70x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x4x70x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x4x70x64xf32> -> tensor<1x4x70xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x4x70x64xbf16>, tensor<1x4x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x4x70xf32>, tensor<1x4x70xf32> -> tensor<1x4x70x64xf32>
  %gq = tc.cast %s : tensor<1x4x70x64xf32> to tensor<1x4x70x64xbf16>
  return %gq, %gk, %gv : tensor<1x4x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>
}

// Keys behind the last query have gradients of 0.
func.func @more_keys(%g: tensor<1x1x60x32xbf16>, %q: tensor<1x1x60x32xbf16>, %k: tensor<1x1x300x32xbf16>, %v: tensor<1x1x300x32xbf16>) -> (tensor<1x1x60x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x300x32xbf16>) {
  %o, %l = tc.attention %q, %k, %v scale 0.177 {causal} : tensor<1x1x60x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x300x32xbf16> -> tensor<1x1x60x32xbf16>, tensor<1x1x60xf32>
  %gw = tc.cast %g : tensor<1x1x60x32xbf16> to tensor<1x1x60x32xf32>
  %ow = tc.cast %o : tensor<1x1x60x32xbf16> to tensor<1x1x60x32xf32>
  %w = tc.mul %gw, %ow : tensor<1x1x60x32xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x1x60x32xf32> -> tensor<1x1x60xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.177 {causal} : tensor<1x1x60x32xbf16>, tensor<1x1x60x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x60xf32>, tensor<1x1x60xf32> -> tensor<1x1x60x32xf32>
  %gq = tc.cast %s : tensor<1x1x60x32xf32> to tensor<1x1x60x32xbf16>
  return %gq, %gk, %gv : tensor<1x1x60x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x300x32xbf16>
}

// Warp groups have a part of the depth each.
func.func @wide(%g: tensor<1x2x150x128xbf16>, %q: tensor<1x2x150x128xbf16>, %k: tensor<1x2x140x128xbf16>, %v: tensor<1x2x140x128xbf16>) -> (tensor<1x2x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>) {
  %o, %l = tc.attention %q, %k, %v scale 0.088 : tensor<1x2x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16> -> tensor<1x2x150x128xbf16>, tensor<1x2x150xf32>
  %gw = tc.cast %g : tensor<1x2x150x128xbf16> to tensor<1x2x150x128xf32>
  %ow = tc.cast %o : tensor<1x2x150x128xbf16> to tensor<1x2x150x128xf32>
  %w = tc.mul %gw, %ow : tensor<1x2x150x128xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x150x128xf32> -> tensor<1x2x150xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.088 : tensor<1x2x150x128xbf16>, tensor<1x2x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32> -> tensor<1x2x150x128xf32>
  %gq = tc.cast %s : tensor<1x2x150x128xf32> to tensor<1x2x150x128xbf16>
  return %gq, %gk, %gv : tensor<1x2x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>
}

func.func @f16(%g: tensor<1x2x130x96xf16>, %q: tensor<1x2x130x80xf16>, %k: tensor<1x2x256x80xf16>, %v: tensor<1x2x256x96xf16>) -> (tensor<1x2x130x80xf16>, tensor<1x2x256x80xf16>, tensor<1x2x256x96xf16>) {
  %o, %l = tc.attention %q, %k, %v scale 0.112 {causal} : tensor<1x2x130x80xf16>, tensor<1x2x256x80xf16>, tensor<1x2x256x96xf16> -> tensor<1x2x130x96xf16>, tensor<1x2x130xf32>
  %gw = tc.cast %g : tensor<1x2x130x96xf16> to tensor<1x2x130x96xf32>
  %ow = tc.cast %o : tensor<1x2x130x96xf16> to tensor<1x2x130x96xf32>
  %w = tc.mul %gw, %ow : tensor<1x2x130x96xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x130x96xf32> -> tensor<1x2x130xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.112 {causal} : tensor<1x2x130x96xf16>, tensor<1x2x130x80xf16>, tensor<1x2x256x80xf16>, tensor<1x2x256x96xf16>, tensor<1x2x130xf32>, tensor<1x2x130xf32> -> tensor<1x2x130x80xf32>
  %gq = tc.cast %s : tensor<1x2x130x80xf32> to tensor<1x2x130x80xf16>
  return %gq, %gk, %gv : tensor<1x2x130x80xf16>, tensor<1x2x256x80xf16>, tensor<1x2x256x96xf16>
}

// The gradients of the queries, or those of the keys, are the only ones that are used.
func.func @queries_alone(%g: tensor<1x2x70x64xbf16>, %q: tensor<1x2x70x64xbf16>, %k: tensor<1x2x200x64xbf16>, %v: tensor<1x2x200x64xbf16>) -> tensor<1x2x70x64xbf16> {
  %o, %l = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x2x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16> -> tensor<1x2x70x64xbf16>, tensor<1x2x70xf32>
  %gw = tc.cast %g : tensor<1x2x70x64xbf16> to tensor<1x2x70x64xf32>
  %ow = tc.cast %o : tensor<1x2x70x64xbf16> to tensor<1x2x70x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x2x70x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x70x64xf32> -> tensor<1x2x70xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x2x70x64xbf16>, tensor<1x2x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x70xf32>, tensor<1x2x70xf32> -> tensor<1x2x70x64xf32>
  %gq = tc.cast %s : tensor<1x2x70x64xf32> to tensor<1x2x70x64xbf16>
  return %gq : tensor<1x2x70x64xbf16>
}

func.func @keys_alone(%g: tensor<1x2x70x64xbf16>, %q: tensor<1x2x70x64xbf16>, %k: tensor<1x2x200x64xbf16>, %v: tensor<1x2x200x64xbf16>) -> tensor<1x2x200x64xbf16> {
  %o, %l = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x2x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16> -> tensor<1x2x70x64xbf16>, tensor<1x2x70xf32>
  %gw = tc.cast %g : tensor<1x2x70x64xbf16> to tensor<1x2x70x64xf32>
  %ow = tc.cast %o : tensor<1x2x70x64xbf16> to tensor<1x2x70x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x2x70x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x70x64xf32> -> tensor<1x2x70xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x2x70x64xbf16>, tensor<1x2x70x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x70xf32>, tensor<1x2x70xf32> -> tensor<1x2x70x64xf32>
  return %gk : tensor<1x2x200x64xbf16>
}
