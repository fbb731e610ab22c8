// An overload without a conversion.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tc.aten "aten.special_bessel_j0.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
