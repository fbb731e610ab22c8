// Rows that are added to computed rows, as in the gradient of an embedding: threads next to each other have columns next to each other. The integers of random inputs are 0 to 3.

// types: f32 f64
func.func @spread(%x: tensor<64x300xf32>, %i: tensor<1000xi64>, %j: tensor<1000xi64>, %k: tensor<1000xi64>, %u: tensor<1000x300xf32>) -> tensor<64x300xf32> {
  %0 = tc.add %i, %i : tensor<1000xi64>
  %1 = tc.add %0, %0 : tensor<1000xi64>
  %2 = tc.add %j, %j : tensor<1000xi64>
  %3 = tc.add %1, %2 : tensor<1000xi64>
  %4 = tc.add %3, %3 : tensor<1000xi64>
  %5 = tc.add %4, %k : tensor<1000xi64>
  %r = tc.index_put sum %x[%5] = %u dims [0] : tensor<64x300xf32>, tensor<1000x300xf32>, tensor<1000xi64>
  return %r : tensor<64x300xf32>
}

// All rows meet in a few.
func.func @meeting(%x: tensor<4x96xf32>, %i: tensor<400xi64>, %u: tensor<400x96xf32>) -> tensor<4x96xf32> {
  %r = tc.index_put sum %x[%i] = %u dims [0] : tensor<4x96xf32>, tensor<400x96xf32>, tensor<400xi64>
  return %r : tensor<4x96xf32>
}

// sizes: n=0,c=32 n=33,c=257 n=600,c=40
func.func @any_sizes(%x: tensor<8x?xf32, #tc.sizes<[8, c]>>, %i: tensor<?xi64, #tc.sizes<[n]>>, %u: tensor<?x?xf32, #tc.sizes<[n, c]>>) -> tensor<8x?xf32, #tc.sizes<[8, c]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 1024>, #tc.symbol<"c", min = 1, max = 512>]} {
  %r = tc.index_put sum %x[%i] = %u dims [0] : tensor<8x?xf32, #tc.sizes<[8, c]>>, tensor<?x?xf32, #tc.sizes<[n, c]>>, tensor<?xi64, #tc.sizes<[n]>>
  return %r : tensor<8x?xf32, #tc.sizes<[8, c]>>
}

// Products depend on the order of their rows.
// types: f32 f64
func.func @products(%x: tensor<5x64xf32>, %i: tensor<300xi64>, %u: tensor<300x64xf32>) -> tensor<5x64xf32> {
  %r = tc.index_put prod %x[%i] = %u dims [0] : tensor<5x64xf32>, tensor<300x64xf32>, tensor<300xi64>
  return %r : tensor<5x64xf32>
}

func.func @batch(%x: tensor<3x6x70xf32>, %i: tensor<200xi64>, %u: tensor<3x200x70xf32>) -> tensor<3x6x70xf32> {
  %r = tc.index_put sum %x[%i] = %u dims [1] : tensor<3x6x70xf32>, tensor<3x200x70xf32>, tensor<200xi64>
  return %r : tensor<3x6x70xf32>
}

// fails: index
func.func @out_of_range(%x: tensor<3x64xf32>, %i: tensor<300xi64>, %u: tensor<300x64xf32>) -> tensor<3x64xf32> {
  %r = tc.index_put sum %x[%i] = %u dims [0] : tensor<3x64xf32>, tensor<300x64xf32>, tensor<300xi64>
  return %r : tensor<3x64xf32>
}
