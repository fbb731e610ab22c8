// Gradients of attention with masks: what is added to the scores is read, or computed of positions, in the kernel of the tiles.

// Of all heads of a batch point.
func.func @boolean(%g: tensor<2x2x150x64xbf16>, %q: tensor<2x2x150x64xbf16>, %k: tensor<2x2x140x64xbf16>, %v: tensor<2x2x140x64xbf16>, %m: tensor<2x1x150x140xi1>) -> (tensor<2x2x150x64xbf16>, tensor<2x2x140x64xbf16>, tensor<2x2x140x64xbf16>) {
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<2x1x150x140xi1> scale 0.125 : tensor<2x2x150x64xbf16>, tensor<2x2x140x64xbf16>, tensor<2x2x140x64xbf16> -> tensor<2x2x150x64xbf16>, tensor<2x2x150xf32>
  %gw = tc.cast %g : tensor<2x2x150x64xbf16> to tensor<2x2x150x64xf32>
  %ow = tc.cast %o : tensor<2x2x150x64xbf16> to tensor<2x2x150x64xf32>
  %w = tc.mul %gw, %ow : tensor<2x2x150x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<2x2x150x64xf32> -> tensor<2x2x150xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<2x1x150x140xi1> scale 0.125 : tensor<2x2x150x64xbf16>, tensor<2x2x150x64xbf16>, tensor<2x2x140x64xbf16>, tensor<2x2x140x64xbf16>, tensor<2x2x150xf32>, tensor<2x2x150xf32> -> tensor<2x2x150x64xf32>
  %gq = tc.cast %s : tensor<2x2x150x64xf32> to tensor<2x2x150x64xbf16>
  return %gq, %gk, %gv : tensor<2x2x150x64xbf16>, tensor<2x2x140x64xbf16>, tensor<2x2x140x64xbf16>
}

// Some queries have no key that counts.
func.func @no_keys(%g: tensor<1x2x96x64xbf16>, %q: tensor<1x2x96x64xbf16>, %k: tensor<1x2x150x64xbf16>, %v: tensor<1x2x150x64xbf16>, %n: tensor<96xi1>) -> (tensor<1x2x96x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16>) {
  %m = tc.broadcast %n dims [2] : tensor<96xi1> -> tensor<1x1x96x150xi1>
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<1x1x96x150xi1> scale 0.125 : tensor<1x2x96x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16> -> tensor<1x2x96x64xbf16>, tensor<1x2x96xf32>
  %gw = tc.cast %g : tensor<1x2x96x64xbf16> to tensor<1x2x96x64xf32>
  %ow = tc.cast %o : tensor<1x2x96x64xbf16> to tensor<1x2x96x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x2x96x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x2x96x64xf32> -> tensor<1x2x96xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<1x1x96x150xi1> scale 0.125 : tensor<1x2x96x64xbf16>, tensor<1x2x96x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x96xf32>, tensor<1x2x96xf32> -> tensor<1x2x96x64xf32>
  %gq = tc.cast %s : tensor<1x2x96x64xf32> to tensor<1x2x96x64xbf16>
  return %gq, %gk, %gv : tensor<1x2x96x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16>
}

// Of each head, where two share keys.
func.func @additive(%g: tensor<1x4x150x128xbf16>, %q: tensor<1x4x150x128xbf16>, %k: tensor<1x2x140x128xbf16>, %v: tensor<1x2x140x128xbf16>, %m: tensor<1x4x150x140xbf16>) -> (tensor<1x4x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>) {
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<1x4x150x140xbf16> scale 0.125 {causal} : tensor<1x4x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16> -> tensor<1x4x150x128xbf16>, tensor<1x4x150xf32>
  %gw = tc.cast %g : tensor<1x4x150x128xbf16> to tensor<1x4x150x128xf32>
  %ow = tc.cast %o : tensor<1x4x150x128xbf16> to tensor<1x4x150x128xf32>
  %w = tc.mul %gw, %ow : tensor<1x4x150x128xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x4x150x128xf32> -> tensor<1x4x150xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<1x4x150x140xbf16> scale 0.125 {causal} : tensor<1x4x150x128xbf16>, tensor<1x4x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x4x150xf32>, tensor<1x4x150xf32> -> tensor<1x4x150x128xf32>
  %gq = tc.cast %s : tensor<1x4x150x128xf32> to tensor<1x4x150x128xbf16>
  return %gq, %gk, %gv : tensor<1x4x150x128xbf16>, tensor<1x2x140x128xbf16>, tensor<1x2x140x128xbf16>
}

// Of keys, those of each query the same.
func.func @padding(%g: tensor<2x1x100x128xbf16>, %q: tensor<2x1x100x128xbf16>, %k: tensor<2x1x190x128xbf16>, %v: tensor<2x1x190x128xbf16>, %m: tensor<2x1x1x190xi1>) -> (tensor<2x1x100x128xbf16>, tensor<2x1x190x128xbf16>, tensor<2x1x190x128xbf16>) {
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<2x1x1x190xi1> scale 0.125 : tensor<2x1x100x128xbf16>, tensor<2x1x190x128xbf16>, tensor<2x1x190x128xbf16> -> tensor<2x1x100x128xbf16>, tensor<2x1x100xf32>
  %gw = tc.cast %g : tensor<2x1x100x128xbf16> to tensor<2x1x100x128xf32>
  %ow = tc.cast %o : tensor<2x1x100x128xbf16> to tensor<2x1x100x128xf32>
  %w = tc.mul %gw, %ow : tensor<2x1x100x128xf32>
  %p = tc.reduce sum %w dims [3] : tensor<2x1x100x128xf32> -> tensor<2x1x100xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<2x1x1x190xi1> scale 0.125 : tensor<2x1x100x128xbf16>, tensor<2x1x100x128xbf16>, tensor<2x1x190x128xbf16>, tensor<2x1x190x128xbf16>, tensor<2x1x100xf32>, tensor<2x1x100xf32> -> tensor<2x1x100x128xf32>
  %gq = tc.cast %s : tensor<2x1x100x128xf32> to tensor<2x1x100x128xbf16>
  return %gq, %gk, %gv : tensor<2x1x100x128xbf16>, tensor<2x1x190x128xbf16>, tensor<2x1x190x128xbf16>
}

// A sliding window: no mask is in memory.
func.func @window(%g: tensor<1x1x300x64xbf16>, %q: tensor<1x1x300x64xbf16>, %k: tensor<1x1x200x64xbf16>, %v: tensor<1x1x200x64xbf16>) -> (tensor<1x1x300x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16>) {
  %row = tc.iota dim 0 start 0 step 1 : tensor<300x200xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<300x200xi64>
  %distance = tc.sub %column, %row : tensor<300x200xi64>
  %last = tc.full -20 : i64 -> tensor<300x200xi64>
  %before = tc.le %distance, %last : tensor<300x200xi64>
  %first = tc.full -150 : i64 -> tensor<300x200xi64>
  %behind = tc.ge %distance, %first : tensor<300x200xi64>
  %m = tc.bitwise_and %before, %behind : tensor<300x200xi1>
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<300x200xi1> scale 0.125 : tensor<1x1x300x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16> -> tensor<1x1x300x64xbf16>, tensor<1x1x300xf32>
  %gw = tc.cast %g : tensor<1x1x300x64xbf16> to tensor<1x1x300x64xf32>
  %ow = tc.cast %o : tensor<1x1x300x64xbf16> to tensor<1x1x300x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x1x300x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x1x300x64xf32> -> tensor<1x1x300xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<300x200xi1> scale 0.125 : tensor<1x1x300x64xbf16>, tensor<1x1x300x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x300xf32>, tensor<1x1x300xf32> -> tensor<1x1x300x64xf32>
  %gq = tc.cast %s : tensor<1x1x300x64xf32> to tensor<1x1x300x64xbf16>
  return %gq, %gk, %gv : tensor<1x1x300x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16>
}

// The last queries have no keys.
func.func @later_keys(%g: tensor<1x1x300x32xbf16>, %q: tensor<1x1x300x32xbf16>, %k: tensor<1x1x140x32xbf16>, %v: tensor<1x1x140x32xbf16>) -> (tensor<1x1x300x32xbf16>, tensor<1x1x140x32xbf16>, tensor<1x1x140x32xbf16>) {
  %row = tc.iota dim 0 start 0 step 1 : tensor<300x140xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<300x140xi64>
  %distance = tc.sub %column, %row : tensor<300x140xi64>
  %first = tc.full 3 : i64 -> tensor<300x140xi64>
  %behind = tc.ge %distance, %first : tensor<300x140xi64>
  %o, %l = tc.attention %q, %k, %v mask %behind : tensor<300x140xi1> scale 0.125 : tensor<1x1x300x32xbf16>, tensor<1x1x140x32xbf16>, tensor<1x1x140x32xbf16> -> tensor<1x1x300x32xbf16>, tensor<1x1x300xf32>
  %gw = tc.cast %g : tensor<1x1x300x32xbf16> to tensor<1x1x300x32xf32>
  %ow = tc.cast %o : tensor<1x1x300x32xbf16> to tensor<1x1x300x32xf32>
  %w = tc.mul %gw, %ow : tensor<1x1x300x32xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x1x300x32xf32> -> tensor<1x1x300xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %behind : tensor<300x140xi1> scale 0.125 : tensor<1x1x300x32xbf16>, tensor<1x1x300x32xbf16>, tensor<1x1x140x32xbf16>, tensor<1x1x140x32xbf16>, tensor<1x1x300xf32>, tensor<1x1x300xf32> -> tensor<1x1x300x32xf32>
  %gq = tc.cast %s : tensor<1x1x300x32xf32> to tensor<1x1x300x32xbf16>
  return %gq, %gk, %gv : tensor<1x1x300x32xbf16>, tensor<1x1x140x32xbf16>, tensor<1x1x140x32xbf16>
}

// The first queries have no keys.
func.func @earlier_keys(%g: tensor<1x1x150x64xf16>, %q: tensor<1x1x150x64xf16>, %k: tensor<1x1x300x64xf16>, %v: tensor<1x1x300x64xf16>) -> (tensor<1x1x150x64xf16>, tensor<1x1x300x64xf16>, tensor<1x1x300x64xf16>) {
  %row = tc.iota dim 0 start 0 step 1 : tensor<150x300xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<150x300xi64>
  %distance = tc.sub %column, %row : tensor<150x300xi64>
  %last = tc.full -30 : i64 -> tensor<150x300xi64>
  %before = tc.le %distance, %last : tensor<150x300xi64>
  %o, %l = tc.attention %q, %k, %v mask %before : tensor<150x300xi1> scale 0.125 : tensor<1x1x150x64xf16>, tensor<1x1x300x64xf16>, tensor<1x1x300x64xf16> -> tensor<1x1x150x64xf16>, tensor<1x1x150xf32>
  %gw = tc.cast %g : tensor<1x1x150x64xf16> to tensor<1x1x150x64xf32>
  %ow = tc.cast %o : tensor<1x1x150x64xf16> to tensor<1x1x150x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x1x150x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x1x150x64xf32> -> tensor<1x1x150xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %before : tensor<150x300xi1> scale 0.125 : tensor<1x1x150x64xf16>, tensor<1x1x150x64xf16>, tensor<1x1x300x64xf16>, tensor<1x1x300x64xf16>, tensor<1x1x150xf32>, tensor<1x1x150xf32> -> tensor<1x1x150x64xf32>
  %gq = tc.cast %s : tensor<1x1x150x64xf32> to tensor<1x1x150x64xf16>
  return %gq, %gk, %gv : tensor<1x1x150x64xf16>, tensor<1x1x300x64xf16>, tensor<1x1x300x64xf16>
}

// Queries have the keys of their own document up to their own.
func.func @documents(%g: tensor<2x2x200x64xbf16>, %q: tensor<2x2x200x64xbf16>, %k: tensor<2x2x200x64xbf16>, %v: tensor<2x2x200x64xbf16>, %n: tensor<2x200xi64>) -> (tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>) {
  %one = tc.full 1 : i64 -> tensor<2x200xi64>
  %d = tc.bitwise_and %n, %one : tensor<2x200xi64>
  %dq = tc.broadcast %d dims [0, 1] : tensor<2x200xi64> -> tensor<2x200x200xi64>
  %dk = tc.broadcast %d dims [0, 2] : tensor<2x200xi64> -> tensor<2x200x200xi64>
  %row = tc.iota dim 1 start 0 step 1 : tensor<2x200x200xi64>
  %column = tc.iota dim 2 start 0 step 1 : tensor<2x200x200xi64>
  %before = tc.le %column, %row : tensor<2x200x200xi64>
  %same = tc.eq %dq, %dk : tensor<2x200x200xi64>
  %both = tc.bitwise_and %before, %same : tensor<2x200x200xi1>
  %m = tc.reshape %both : tensor<2x200x200xi1> -> tensor<2x1x200x200xi1>
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<2x1x200x200xi1> scale 0.125 : tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16> -> tensor<2x2x200x64xbf16>, tensor<2x2x200xf32>
  %gw = tc.cast %g : tensor<2x2x200x64xbf16> to tensor<2x2x200x64xf32>
  %ow = tc.cast %o : tensor<2x2x200x64xbf16> to tensor<2x2x200x64xf32>
  %w = tc.mul %gw, %ow : tensor<2x2x200x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<2x2x200x64xf32> -> tensor<2x2x200xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<2x1x200x200xi1> scale 0.125 : tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200xf32>, tensor<2x2x200xf32> -> tensor<2x2x200x64xf32>
  %gq = tc.cast %s : tensor<2x2x200x64xf32> to tensor<2x2x200x64xbf16>
  return %gq, %gk, %gv : tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16>
}

// What is added is a function of positions (ALiBi).
func.func @slopes(%g: tensor<1x4x130x64xbf16>, %q: tensor<1x4x130x64xbf16>, %k: tensor<1x4x130x64xbf16>, %v: tensor<1x4x130x64xbf16>, %n: tensor<4xf32>) -> (tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>) {
  %row = tc.iota dim 1 start 0 step 1 : tensor<4x130x130xi64>
  %column = tc.iota dim 2 start 0 step 1 : tensor<4x130x130xi64>
  %distance = tc.sub %column, %row : tensor<4x130x130xi64>
  %far = tc.cast %distance : tensor<4x130x130xi64> to tensor<4x130x130xf32>
  %slopes = tc.broadcast %n dims [0] : tensor<4xf32> -> tensor<4x130x130xf32>
  %m = tc.mul %far, %slopes : tensor<4x130x130xf32>
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<4x130x130xf32> scale 0.125 {causal} : tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16> -> tensor<1x4x130x64xbf16>, tensor<1x4x130xf32>
  %gw = tc.cast %g : tensor<1x4x130x64xbf16> to tensor<1x4x130x64xf32>
  %ow = tc.cast %o : tensor<1x4x130x64xbf16> to tensor<1x4x130x64xf32>
  %w = tc.mul %gw, %ow : tensor<1x4x130x64xf32>
  %p = tc.reduce sum %w dims [3] : tensor<1x4x130x64xf32> -> tensor<1x4x130xf32>
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<4x130x130xf32> scale 0.125 {causal} : tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130xf32>, tensor<1x4x130xf32> -> tensor<1x4x130x64xf32>
  %gq = tc.cast %s : tensor<1x4x130x64xf32> to tensor<1x4x130x64xbf16>
  return %gq, %gk, %gv : tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>, tensor<1x4x130x64xbf16>
}
