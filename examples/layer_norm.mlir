// A residual connection and a layer norm for any number of tokens.
//
// $ tc-run examples/layer_norm.mlir --random-inputs=0 --size=tokens=77 --check

func.func @residual(%x: tensor<?x256xf32, #tc.sizes<[tokens, 256]>>, %y: tensor<?x256xf32, #tc.sizes<[tokens, 256]>>,
                    %weight: tensor<256xf32>, %bias: tensor<256xf32>)
    -> (tensor<?x256xf32, #tc.sizes<[tokens, 256]>>, tensor<?x256xf32, #tc.sizes<[tokens, 256]>>)
    attributes {tc.symbols = [#tc.symbol<"tokens", min = 1, max = 4096>]} {
  %sum = tc.add %x, %y : tensor<?x256xf32, #tc.sizes<[tokens, 256]>>
  %norm = tc.layer_norm %sum weight %weight : tensor<256xf32> bias %bias : tensor<256xf32> rank 1 eps 1.0e-5 : tensor<?x256xf32, #tc.sizes<[tokens, 256]>>
  return %norm, %sum : tensor<?x256xf32, #tc.sizes<[tokens, 256]>>, tensor<?x256xf32, #tc.sizes<[tokens, 256]>>
}
