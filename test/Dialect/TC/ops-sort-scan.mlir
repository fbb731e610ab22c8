// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of sorts, scans and random numbers.

// CHECK-LABEL: func @sort
func.func @sort(%x: tensor<4x8xf32>) {
  %v0, %i0 = tc.sort %x dim 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  %v1, %i1 = tc.sort %x dim 0 {descending} : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  return
}

// CHECK-LABEL: func @topk
func.func @topk(%x: tensor<4x8xf32>) {
  %v0, %i0 = tc.topk %x dim 1 k 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  %v1, %i1 = tc.topk %x dim 0 k 0 {smallest} : tensor<4x8xf32> -> tensor<0x8xf32>, tensor<0x8xi64>
  return
}

// CHECK-LABEL: func @scan
func.func @scan(%x: tensor<4x8xf32>) {
  // CHECK: tc.scan sum %{{[a-z0-9_#]+}} dim 1 : tensor<4x8xf32>
  %0 = tc.scan sum %x dim 1 : tensor<4x8xf32>
  // CHECK: tc.scan prod %{{[a-z0-9_#]+}} dim 1 : tensor<4x8xf32>
  %1 = tc.scan prod %x dim 1 : tensor<4x8xf32>
  // CHECK: tc.scan max %{{[a-z0-9_#]+}} dim 0 : tensor<4x8xf32>
  %2 = tc.scan max %x dim 0 : tensor<4x8xf32>
  // CHECK: tc.scan min %{{[a-z0-9_#]+}} dim 0 : tensor<4x8xf32>
  %3 = tc.scan min %x dim 0 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func @random
func.func @random(%s: tensor<i64>) {
  // CHECK: tc.random uniform %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
  %0 = tc.random uniform %s, %s : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
  // CHECK: tc.random normal %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<i64>, tensor<i64> -> tensor<4xbf16>
  %1 = tc.random normal %s, %s : tensor<i64>, tensor<i64> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %s: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %v0, %i0 = tc.sort %x dim 0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %v1, %i1 = tc.topk %x dim 1 k 2 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<?x2xi64, #tc.sizes<[s0, 2]>>
  // CHECK: tc.scan sum %{{[a-z0-9_#]+}} dim 0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %0 = tc.scan sum %x dim 0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.random uniform %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<i64>, tensor<i64> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.random uniform %s, %s : tensor<i64>, tensor<i64> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return
}
