// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-reshapes -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why a kernel does not read through a reshape.

// Rows of symbolic size cannot be divided into.
// CHECK: did not fuse a reshape into 'exp': a size inside is symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<8x?xf32, #tc.sizes<[8, s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %0 = tc.reshape %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8x?xf32, #tc.sizes<[8, s0]>>
  %1 = tc.exp %0 : tensor<8x?xf32, #tc.sizes<[8, s0]>>
  return %1 : tensor<8x?xf32, #tc.sizes<[8, s0]>>
}

// -----

// Of an index into s0 * 4 elements only the quotient would be checked.
// CHECK: did not fuse a reshape into 'index': the range of a computed index would not be checked
func.func @checked(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %i: tensor<2xi64>) -> tensor<2xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %0 = tc.reshape %x : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0*4]>>
  %1 = tc.index_tensors %0[%i] dims [0] : tensor<?xf32, #tc.sizes<[s0*4]>>, tensor<2xi64> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// An argument is read in its own order.
// CHECK: did not fuse a reshape into 'exp': a dimension would have to be divided
func.func @divided(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %0 = tc.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tc.exp %0 : tensor<32xf32>
  return %1 : tensor<32xf32>
}
