// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of the reductions.

// Each kind that tc.reduce takes.
// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<4x8xf32>, %b: tensor<4x8xi1>, %i: tensor<4x8xi64>) {
  // CHECK: tc.reduce sum %{{[a-z0-9_#]+}} dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: tc.reduce prod %{{[a-z0-9_#]+}} dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %1 = tc.reduce prod %x dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // CHECK: tc.reduce max %{{[a-z0-9_#]+}} dims [0] : tensor<4x8xi1> -> tensor<8xi1>
  %2 = tc.reduce max %b dims [0] : tensor<4x8xi1> -> tensor<8xi1>
  // CHECK: tc.reduce min %{{[a-z0-9_#]+}} dims [0] : tensor<4x8xi64> -> tensor<8xi64>
  %3 = tc.reduce min %i dims [0] : tensor<4x8xi64> -> tensor<8xi64>
  // CHECK: tc.reduce all %{{[a-z0-9_#]+}} dims [1] : tensor<4x8xi1> -> tensor<4xi1>
  %4 = tc.reduce all %b dims [1] : tensor<4x8xi1> -> tensor<4xi1>
  // CHECK: tc.reduce any %{{[a-z0-9_#]+}} dims [] : tensor<4x8xi1> -> tensor<4x8xi1>
  %5 = tc.reduce any %b dims [] : tensor<4x8xi1> -> tensor<4x8xi1>
  return
}

// The index of the extreme element.
// CHECK-LABEL: func @arg_reduce
func.func @arg_reduce(%x: tensor<4x8xf32>, %i: tensor<4x8xui8>) {
  // CHECK: tc.arg_reduce argmax %{{[a-z0-9_#]+}} dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  %0 = tc.arg_reduce argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  // CHECK: tc.arg_reduce argmin %{{[a-z0-9_#]+}} dim 0 : tensor<4x8xui8> -> tensor<8xi64>
  %1 = tc.arg_reduce argmin %i dim 0 : tensor<4x8xui8> -> tensor<8xi64>
  return
}

// CHECK-LABEL: func @variance
func.func @variance(%x: tensor<4x8xf32>) {
  // CHECK: tc.variance %{{[a-z0-9_#]+}} dims [1] correction 1.000000e+00 : tensor<4x8xf32> -> tensor<4xf32>
  %0 = tc.variance %x dims [1] correction 1.000000e+00 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// The symbolic size stays or vanishes.
// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.reduce sum %{{[a-z0-9_#]+}} dims [1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s0]>>
  %0 = tc.reduce sum %x dims [1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s0]>>
  // CHECK: tc.reduce max %{{[a-z0-9_#]+}} dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
  %1 = tc.reduce max %x dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
  // CHECK: tc.arg_reduce argmax %{{[a-z0-9_#]+}} dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xi64, #tc.sizes<[s0]>>
  %2 = tc.arg_reduce argmax %x dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xi64, #tc.sizes<[s0]>>
  // CHECK: tc.variance %{{[a-z0-9_#]+}} dims [0] correction 0.000000e+00 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
  %3 = tc.variance %x dims [0] correction 0.000000e+00 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
  return
}
