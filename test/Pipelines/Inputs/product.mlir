// A norm, a product with an epilogue, and a softmax: schedules of three kinds.
func.func @main(%x: tensor<96x200xf32>, %w: tensor<200x300xf32>, %b: tensor<300xf32>) -> tensor<96x300xf32> {
  %n = tc.layer_norm %x rank 1 eps 1.0e-05 : tensor<96x200xf32>
  %p = tc.contract "ik,kj->ij" %n, %w : tensor<96x200xf32>, tensor<200x300xf32> -> tensor<96x300xf32>
  %bb = tc.broadcast %b dims [1] : tensor<300xf32> -> tensor<96x300xf32>
  %s = tc.add %p, %bb : tensor<96x300xf32>
  %r = tc.softmax %s dim 1 : tensor<96x300xf32>
  return %r : tensor<96x300xf32>
}
