tc.parameter_source @w : tensor<130x70xf32> {file = "weights.bin", offset = 0 : i64, role = "parameter"}
tc.parameter_source @narrow : tensor<130x139xbf16> {file = "narrow.bin", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<9x70xf32>, %y: tensor<9x139xbf16>, %i: tensor<3xi64>) -> (tensor<9x130xf32>, tensor<9x130xbf16>, tensor<3x70xf32>) {
  %w = tc.parameter @w : tensor<130x70xf32>
  %0 = tc.contract "ik,jk->ij" %x, %w : tensor<9x70xf32>, tensor<130x70xf32> -> tensor<9x130xf32>
  %n = tc.parameter @narrow : tensor<130x139xbf16>
  %1 = tc.contract "ik,jk->ij" %y, %n : tensor<9x139xbf16>, tensor<130x139xbf16> -> tensor<9x130xbf16>
  %2 = tc.index_tensors %w[%i] dims [0] : tensor<130x70xf32>, tensor<3xi64> -> tensor<3x70xf32>
  return %0, %1, %2 : tensor<9x130xf32>, tensor<9x130xbf16>, tensor<3x70xf32>
}
