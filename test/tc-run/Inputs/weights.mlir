// Random values for the parameters of packed.mlir.
func.func @main(%x: tensor<130x70xf32>, %y: tensor<130x139xbf16>) -> (tensor<130x70xf32>, tensor<130x139xbf16>) {
  return %x, %y : tensor<130x70xf32>, tensor<130x139xbf16>
}
