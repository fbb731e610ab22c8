// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of pooling and resampling.

// CHECK-LABEL: func @max_pool
func.func @max_pool(%x: tensor<1x64x112x112xf32>, %y: tensor<1x2x9xi32>) {
  %r0, %i0 = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>, tensor<1x64x56x56xi64>
  %r1, %i1 = tc.max_pool %y kernel [2] stride [2] padding [0] dilation [1] {ceil_mode} : tensor<1x2x9xi32> -> tensor<1x2x5xi32>, tensor<1x2x5xi64>
  return
}

// In ceil mode the last window must start inside the input or its left padding: 4 windows would be 5.
// CHECK-LABEL: func @avg_pool
func.func @avg_pool(%x: tensor<1x8x4x4xf32>, %y: tensor<1x2x7xf32>) {
  // CHECK: tc.avg_pool %{{[a-z0-9_#]+}} kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<1x8x4x4xf32> -> tensor<1x8x2x2xf32>
  %0 = tc.avg_pool %x kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<1x8x4x4xf32> -> tensor<1x8x2x2xf32>
  // CHECK: tc.avg_pool %{{[a-z0-9_#]+}} kernel [2] stride [2] padding [1] {ceil_mode, divisor = 3 : i64, exclude_padding} : tensor<1x2x7xf32> -> tensor<1x2x4xf32>
  %1 = tc.avg_pool %y kernel [2] stride [2] padding [1] {ceil_mode, divisor = 3 : i64, exclude_padding} : tensor<1x2x7xf32> -> tensor<1x2x4xf32>
  return
}

// CHECK-LABEL: func @adaptive_avg_pool
func.func @adaptive_avg_pool(%x: tensor<1x8x7x7xf32>) {
  // CHECK: tc.adaptive_avg_pool %{{[a-z0-9_#]+}} : tensor<1x8x7x7xf32> -> tensor<1x8x3x1xf32>
  %0 = tc.adaptive_avg_pool %x : tensor<1x8x7x7xf32> -> tensor<1x8x3x1xf32>
  return
}

// CHECK-LABEL: func @resample
func.func @resample(%x: tensor<1x8x4x4xf32>) {
  // CHECK: tc.resample nearest %{{[a-z0-9_#]+}} : tensor<1x8x4x4xf32> -> tensor<1x8x8x8xf32>
  %0 = tc.resample nearest %x : tensor<1x8x4x4xf32> -> tensor<1x8x8x8xf32>
  // CHECK: tc.resample linear %{{[a-z0-9_#]+}} {align_corners} : tensor<1x8x4x4xf32> -> tensor<1x8x9x9xf32>
  %1 = tc.resample linear %x {align_corners} : tensor<1x8x4x4xf32> -> tensor<1x8x9x9xf32>
  // CHECK: tc.resample linear %{{[a-z0-9_#]+}} {scales = array<f64: 5.000000e-01, 2.500000e-01>} : tensor<1x8x4x4xf32> -> tensor<1x8x8x16xf32>
  %2 = tc.resample linear %x {scales = array<f64: 5.000000e-01, 2.500000e-01>} : tensor<1x8x4x4xf32> -> tensor<1x8x8x16xf32>
  return
}

// Window counts are expressions of the input's sizes.
// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 8, max = 512>]} {
  %r, %i = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x16xf32, #tc.sizes<[s0, 3, (s1 + 1) floordiv 2, 16]>>, tensor<?x3x?x16xi64, #tc.sizes<[s0, 3, (s1 + 1) floordiv 2, 16]>>
  // CHECK: tc.avg_pool %{{[a-z0-9_#]+}} kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x16xf32, #tc.sizes<[s0, 3, s1 floordiv 2, 16]>>
  %0 = tc.avg_pool %x kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x16xf32, #tc.sizes<[s0, 3, s1 floordiv 2, 16]>>
  // CHECK: tc.avg_pool %{{[a-z0-9_#]+}} kernel [3, 3] stride [2, 2] padding [1, 1] {ceil_mode} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x17xf32, #tc.sizes<[s0, 3, s1 floordiv 2 + 1, 17]>>
  %1 = tc.avg_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] {ceil_mode} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x17xf32, #tc.sizes<[s0, 3, s1 floordiv 2 + 1, 17]>>
  // CHECK: tc.adaptive_avg_pool %{{[a-z0-9_#]+}} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x1x1xf32, #tc.sizes<[s0, 3, 1, 1]>>
  %2 = tc.adaptive_avg_pool %x : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x1x1xf32, #tc.sizes<[s0, 3, 1, 1]>>
  // CHECK: tc.resample nearest %{{[a-z0-9_#]+}} : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x64xf32, #tc.sizes<[s0, 3, s1 * 2, 64]>>
  %3 = tc.resample nearest %x : tensor<?x3x?x32xf32, #tc.sizes<[s0, 3, s1, 32]>> -> tensor<?x3x?x64xf32, #tc.sizes<[s0, 3, s1 * 2, 64]>>
  return
}
