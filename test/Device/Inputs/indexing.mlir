// Reads and writes at computed places, and what needs an order. The integers of random inputs are 0 to 3.

// types: f32 bf16
func.func @embedding(%w: tensor<100x70xf32>, %i: tensor<5x3xi64>) -> tensor<5x3x70xf32> {
  %r = tc.index_tensors %w[%i] dims [0] : tensor<100x70xf32>, tensor<5x3xi64> -> tensor<5x3x70xf32>
  return %r : tensor<5x3x70xf32>
}

func.func @gather(%x: tensor<6x8xf32>, %i: tensor<6x3xi32>) -> tensor<6x3xf32> {
  %r = tc.gather %x[%i] dim 1 : tensor<6x8xf32>, tensor<6x3xi32> -> tensor<6x3xf32>
  return %r : tensor<6x3xf32>
}

// fails: index
func.func @gather_out_of_range(%x: tensor<6x3xf32>, %i: tensor<6x1000xi64>) -> tensor<6x1000xf32> {
  %r = tc.gather %x[%i] dim 1 : tensor<6x3xf32>, tensor<6x1000xi64> -> tensor<6x1000xf32>
  return %r : tensor<6x1000xf32>
}

func.func @scatter(%x: tensor<6x8xf32>, %i: tensor<6x2xi64>, %u: tensor<6x2xf32>) -> tensor<6x8xf32> {
  %r = tc.scatter sum %x[%i] = %u dim 1 : tensor<6x8xf32>, tensor<6x2xi64>, tensor<6x2xf32>
  return %r : tensor<6x8xf32>
}

func.func @cumsum(%x: tensor<6x33xf32>) -> tensor<6x33xf32> {
  %r = tc.scan sum %x dim 1 : tensor<6x33xf32>
  return %r : tensor<6x33xf32>
}

func.func @sort(%x: tensor<6x33xf32>) -> (tensor<6x33xf32>, tensor<6x33xi64>) {
  %v, %i = tc.sort %x dim 1 : tensor<6x33xf32> -> tensor<6x33xf32>, tensor<6x33xi64>
  return %v, %i : tensor<6x33xf32>, tensor<6x33xi64>
}
