// Two linear layers with a gelu between: bias and gelu are the epilogue of the first contraction.
//
// $ tc-run examples/perceptron.mlir --random-inputs=0 --check --tolerance=1e-4,1e-4

func.func @perceptron(%x: tensor<32x64xf32>, %w0: tensor<128x64xf32>, %b0: tensor<128xf32>,
                      %w1: tensor<16x128xf32>, %b1: tensor<16xf32>) -> tensor<32x16xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w0 : tensor<32x64xf32>, tensor<128x64xf32> -> tensor<32x128xf32>
  %1 = tc.broadcast %b0 dims [1] : tensor<128xf32> -> tensor<32x128xf32>
  %2 = tc.add %0, %1 : tensor<32x128xf32>
  %3 = tc.gelu %2 : tensor<32x128xf32>
  %4 = tc.contract "mk,nk->mn" %3, %w1 : tensor<32x128xf32>, tensor<16x128xf32> -> tensor<32x16xf32>
  %5 = tc.broadcast %b1 dims [1] : tensor<16xf32> -> tensor<32x16xf32>
  %6 = tc.add %4, %5 : tensor<32x16xf32>
  return %6 : tensor<32x16xf32>
}
