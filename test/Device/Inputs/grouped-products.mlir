// Products of rows that have one of several matrices each: on a GPU a tile is multiplied once for each matrix that its rows have.

// Rows in groups that end at offsets; one group is empty, and the last rows are in none.
func.func @sorted(%x: tensor<300x64xbf16>, %w: tensor<5x64x72xbf16>) -> tensor<300x72xbf16> {
  %o = tc.constant dense<[70, 70, 200, 210, 290]> : tensor<5xi32>
  %r = tc.aten "aten._grouped_mm.default"(%x, %w, %o) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<300x64xbf16>, tensor<5x64x72xbf16>, tensor<5xi32>) -> tensor<300x72xbf16>
  return %r : tensor<300x72xbf16>
}

// The matrices' rows are along what is summed over.
func.func @transposed(%x: tensor<150x136xf16>, %w: tensor<3x48x136xf16>) -> tensor<150x48xf16> {
  %o = tc.constant dense<[1, 149, 150]> : tensor<3xi32>
  %t = tc.transpose %w [0, 2, 1] : tensor<3x48x136xf16> -> tensor<3x136x48xf16>
  %r = tc.aten "aten._grouped_mm.default"(%x, %t, %o) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<150x136xf16>, tensor<3x136x48xf16>, tensor<3xi32>) -> tensor<150x48xf16>
  return %r : tensor<150x48xf16>
}

// Rows of any order, and what is done with the products.
func.func @any_order(%x: tensor<40x32xbf16>, %w: tensor<4x24x32xbf16>, %b: tensor<24xbf16>) -> tensor<40x24xf32> {
  %i = tc.constant dense<[3, 0, 0, 3, 3, 0, 3, 3, 0, 0, 3, 2, 2, 2, 0, 0, 3, 3, 3, 0, 0, 3, 0, 0, 3, 3, 0, 3, 3, 0, 0, 3, 2, 2, 2, 0, 0, 3, 3, 3]> : tensor<40xi64>
  %p = tc.index_tensors %w[%i] dims [0] : tensor<4x24x32xbf16>, tensor<40xi64> -> tensor<40x24x32xbf16>
  %c = tc.contract "mk,mnk->mn" %x, %p : tensor<40x32xbf16>, tensor<40x24x32xbf16> -> tensor<40x24xbf16>
  %bb = tc.broadcast %b dims [1] : tensor<24xbf16> -> tensor<40x24xbf16>
  %s = tc.add %c, %bb : tensor<40x24xbf16>
  %f = tc.cast %s : tensor<40x24xbf16> to tensor<40x24xf32>
  return %f : tensor<40x24xf32>
}
