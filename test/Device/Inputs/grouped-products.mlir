// Products of rows that have one of several matrices each: on a GPU a tile is multiplied once for each matrix that its rows have.

// Rows in groups that end at offsets; one group is empty, and the last rows are in none.
func.func @sorted(%x: tensor<300x64xbf16>, %w: tensor<5x64x72xbf16>) -> tensor<300x72xbf16> {
  %o = tc.constant dense<[70, 70, 200, 210, 290]> : tensor<5xi32>
  %r = tc.aten "aten._grouped_mm.default"(%x, %w, %o) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<300x64xbf16>, tensor<5x64x72xbf16>, tensor<5xi32>) -> tensor<300x72xbf16>
  return %r : tensor<300x72xbf16>
}

// The matrices' rows are along what is summed over.
func.func @transposed(%x: tensor<300x520xf16>, %w: tensor<3x120x520xf16>) -> tensor<300x120xf16> {
  %o = tc.constant dense<[1, 149, 300]> : tensor<3xi32>
  %t = tc.transpose %w [0, 2, 1] : tensor<3x120x520xf16> -> tensor<3x520x120xf16>
  %r = tc.aten "aten._grouped_mm.default"(%x, %t, %o) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<300x520xf16>, tensor<3x520x120xf16>, tensor<3xi32>) -> tensor<300x120xf16>
  return %r : tensor<300x120xf16>
}

// Rows of any order, and what is done with the products.
func.func @any_order(%x: tensor<200x264xbf16>, %w: tensor<4x104x264xbf16>, %b: tensor<104xbf16>) -> tensor<200x104xf32> {
  %n = tc.iota dim 0 start 0 step 1 : tensor<200xi64>
  %s7 = tc.full 7 : i64 -> tensor<200xi64>
  %s4 = tc.full 4 : i64 -> tensor<200xi64>
  %m = tc.mul %n, %s7 : tensor<200xi64>
  %i = tc.remainder %m, %s4 : tensor<200xi64>
  %p = tc.index_tensors %w[%i] dims [0] : tensor<4x104x264xbf16>, tensor<200xi64> -> tensor<200x104x264xbf16>
  %c = tc.contract "mk,mnk->mn" %x, %p : tensor<200x264xbf16>, tensor<200x104x264xbf16> -> tensor<200x104xbf16>
  %bb = tc.broadcast %b dims [1] : tensor<104xbf16> -> tensor<200x104xbf16>
  %s = tc.add %c, %bb : tensor<200x104xbf16>
  %f = tc.cast %s : tensor<200x104xbf16> to tensor<200x104xf32>
  return %f : tensor<200x104xf32>
}

// Offsets of the call: the kernel that counts them does not pick the matrices.
func.func @offsets(%x: tensor<300x136xbf16>, %w: tensor<4x136x120xbf16>, %o: tensor<4xi32>) -> tensor<300x120xbf16> {
  %c = tc.full 300 : i32 -> tensor<4xi32>
  %e = tc.remainder %o, %c : tensor<4xi32>
  %r = tc.aten "aten._grouped_mm.default"(%x, %w, %e) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<300x136xbf16>, tensor<4x136x120xbf16>, tensor<4xi32>) -> tensor<300x120xbf16>
  return %r : tensor<300x120xbf16>
}
