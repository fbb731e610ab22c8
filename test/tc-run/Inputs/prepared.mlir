tc.parameter_source @w : tensor<3x4xf32> {file = "weights.bin", offset = 0 : i64, role = "parameter", strides = array<i64: 1, 3>}
tc.parameter_source @s : tensor<4xf32> {file = "weights.bin", offset = 48 : i64, role = "parameter"}
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = tc.parameter @w : tensor<3x4xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.broadcast %s dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %1 = tc.mul %w, %0 : tensor<3x4xf32>
  %2 = tc.contract "ik,jk->ij" %x, %1 : tensor<2x4xf32>, tensor<3x4xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
