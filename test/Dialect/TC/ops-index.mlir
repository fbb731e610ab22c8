// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of indexing, gather and scatter.

// CHECK-LABEL: func @gather
func.func @gather(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>) {
  // CHECK: tc.gather %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] dim 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  %0 = tc.gather %x[%i] dim 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  return
}

// The indexed dimensions give way to the shape of the indices.
// CHECK-LABEL: func @index_tensors
func.func @index_tensors(%x: tensor<100x8xf32>, %i: tensor<4x2xi64>, %y: tensor<3x5x7x9xi1>, %j: tensor<6xi32>) {
  // CHECK: tc.index_tensors %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] dims [0] : tensor<100x8xf32>, tensor<4x2xi64> -> tensor<4x2x8xf32>
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<100x8xf32>, tensor<4x2xi64> -> tensor<4x2x8xf32>
  // CHECK: tc.index_tensors %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] dims [0] non_negative : tensor<100x8xf32>, tensor<4x2xi64> -> tensor<4x2x8xf32>
  %2 = tc.index_tensors %x[%i] dims [0] non_negative : tensor<100x8xf32>, tensor<4x2xi64> -> tensor<4x2x8xf32>
  // CHECK: tc.index_tensors %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}] dims [1, 3] : tensor<3x5x7x9xi1>, tensor<6xi32>, tensor<6xi32> -> tensor<3x6x7xi1>
  %1 = tc.index_tensors %y[%j, %j] dims [1, 3] : tensor<3x5x7x9xi1>, tensor<6xi32>, tensor<6xi32> -> tensor<3x6x7xi1>
  return
}

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  // CHECK: tc.scatter sum %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  // CHECK: tc.scatter replace %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %1 = tc.scatter replace %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  // CHECK: tc.scatter prod %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %2 = tc.scatter prod %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  // CHECK: tc.scatter max %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %3 = tc.scatter max %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  // CHECK: tc.scatter min %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %4 = tc.scatter min %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @index_put
func.func @index_put(%x: tensor<8x4xf32>, %i: tensor<2xi64>, %v: tensor<2x4xf32>, %w: tensor<2xf32>) {
  // CHECK: tc.index_put sum %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dims [0] : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi64>
  // CHECK: tc.index_put replace %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dims [0, 1] : tensor<8x4xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi64>
  %1 = tc.index_put replace %x[%i, %i] = %w dims [0, 1] : tensor<8x4xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi64>
  // CHECK: tc.index_put sum %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dims [0] non_negative : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi64>
  %2 = tc.index_put sum %x[%i] = %v dims [0] non_negative : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi64>
  return
}

// Symbolic numbers of rows and of indices.
// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %i: tensor<?xi64, #tc.sizes<[s1]>>, %v: tensor<?x8xf32, #tc.sizes<[s1, 8]>>, %j: tensor<?x1xi64, #tc.sizes<[s0, 1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  // CHECK: tc.index_tensors %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?xi64, #tc.sizes<[s1]>> -> tensor<?x8xf32, #tc.sizes<[s1, 8]>>
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?xi64, #tc.sizes<[s1]>> -> tensor<?x8xf32, #tc.sizes<[s1, 8]>>
  // CHECK: tc.index_put replace %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] = %{{[a-z0-9_#]+}} dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s1, 8]>>, tensor<?xi64, #tc.sizes<[s1]>>
  %1 = tc.index_put replace %x[%i] = %v dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s1, 8]>>, tensor<?xi64, #tc.sizes<[s1]>>
  // CHECK: tc.gather %{{[a-z0-9_#]+}}[%{{[a-z0-9_#]+}}] dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x1xi64, #tc.sizes<[s0, 1]>> -> tensor<?x1xf32, #tc.sizes<[s0, 1]>>
  %2 = tc.gather %x[%j] dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x1xi64, #tc.sizes<[s0, 1]>> -> tensor<?x1xf32, #tc.sizes<[s0, 1]>>
  return
}

// CHECK-LABEL: func @nonzero
func.func @nonzero(%m: tensor<4x8xi1>, %s: tensor<i1>) {
  // CHECK: tc.nonzero %{{[a-z0-9_#]+}} : tensor<4x8xi1> -> tensor<?x2xi64, #tc.sizes<[s0, 2]>>
  %0 = tc.nonzero %m : tensor<4x8xi1> -> tensor<?x2xi64, #tc.sizes<[s0, 2]>>
  // CHECK: tc.nonzero %{{[a-z0-9_#]+}} : tensor<i1> -> tensor<1x0xi64>
  %1 = tc.nonzero %s : tensor<i1> -> tensor<1x0xi64>
  return
}
