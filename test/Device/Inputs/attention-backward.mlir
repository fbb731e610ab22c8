// Gradients of attention with a mask: products of weights that are in memory.

func.func @masked(%g: tensor<2x4x9x8xf32>, %q: tensor<2x4x9x8xf32>, %k: tensor<2x2x11x8xf32>, %v: tensor<2x2x11x8xf32>, %m: tensor<2x1x9x11xf32>) -> (tensor<2x4x9x8xf32>, tensor<2x2x11x8xf32>, tensor<2x2x11x8xf32>) {
  %o, %l = tc.attention %q, %k, %v mask %m : tensor<2x1x9x11xf32> scale 0.35 : tensor<2x4x9x8xf32>, tensor<2x2x11x8xf32>, tensor<2x2x11x8xf32> -> tensor<2x4x9x8xf32>, tensor<2x4x9xf32>
  %w = tc.mul %g, %o : tensor<2x4x9x8xf32>
  %p = tc.reduce sum %w dims [3] : tensor<2x4x9x8xf32> -> tensor<2x4x9xf32>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<2x1x9x11xf32> scale 0.35 : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>, tensor<2x2x11x8xf32>, tensor<2x2x11x8xf32>, tensor<2x4x9xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x8xf32>
  return %gq, %gk, %gv : tensor<2x4x9x8xf32>, tensor<2x2x11x8xf32>, tensor<2x2x11x8xf32>
}
