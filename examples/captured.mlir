// A graph as it is captured, one tc.aten for each call: layer norm, gelu, a
// scale, over any number of rows. docs/tutorial.md follows it through the phases.
//
// $ tc-run examples/captured.mlir --random-inputs=0 --size=rows=100 --check

func.func @forward(%x: tensor<?x512xf32, #tc.sizes<[rows, 512]>>, %weight: tensor<512xf32>, %bias: tensor<512xf32>)
    -> tensor<?x512xf32, #tc.sizes<[rows, 512]>>
    attributes {tc.symbols = [#tc.symbol<"rows", min = 1, max = 65536>]} {
  %norm = tc.aten "aten.layer_norm.default"(%x, %weight, %bias) {input = #tc.operand<0>, normalized_shape = [512], weight = #tc.operand<1>, bias = #tc.operand<2>} : (tensor<?x512xf32, #tc.sizes<[rows, 512]>>, tensor<512xf32>, tensor<512xf32>) -> tensor<?x512xf32, #tc.sizes<[rows, 512]>>
  %gelu = tc.aten "aten.gelu.default"(%norm) {self = #tc.operand<0>} : (tensor<?x512xf32, #tc.sizes<[rows, 512]>>) -> tensor<?x512xf32, #tc.sizes<[rows, 512]>>
  %scale = tc.aten "aten.mul.Tensor"(%gelu) {self = #tc.operand<0>, other = 1.2 : f64} : (tensor<?x512xf32, #tc.sizes<[rows, 512]>>) -> tensor<?x512xf32, #tc.sizes<[rows, 512]>>
  return %scale : tensor<?x512xf32, #tc.sizes<[rows, 512]>>
}
