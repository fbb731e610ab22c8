// RUN: tc-opt %s --convert-tc-to-kernel | FileCheck %s

// A chain is one kernel an op; a splat is a scalar of the body.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK: tc.kernel "mul" pointwise
  // CHECK: tc.cast %{{.*}} : bf16 to f32
  // CHECK: tc.scalar 2.000000e+00 : f32
  // CHECK: tc.mul %{{.*}}, %{{.*}} : f32
  // CHECK: tc.cast %{{.*}} : f32 to bf16
  %c = tc.full 2.0 : bf16 -> tensor<4x8xbf16>
  %r = tc.mul %x, %c : tensor<4x8xbf16>
  // CHECK-NOT: tc.full
  return %r : tensor<4x8xbf16>
}

// Views are reads at other indices.
// CHECK-LABEL: func @views
func.func @views(%x: tensor<4x8xf32>, %b: tensor<8x1xf32>) -> (tensor<3x8x4xf32>, tensor<4x2xf32>, tensor<8x4xf32>) {
  %t = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %r = tc.broadcast %t dims [1, 2] : tensor<8x4xf32> -> tensor<3x8x4xf32>
  %s = tc.slice %x offsets <[0, 6]> strides [1, -3] : tensor<4x8xf32> -> tensor<4x2xf32>
  %u = tc.broadcast %b dims [0, 1] : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: tc.kernel "transpose" transpose
  // CHECK: tc.kernel "slice" pointwise
  return %r, %s, %u : tensor<3x8x4xf32>, tensor<4x2xf32>, tensor<8x4xf32>
}

// Padding and concatenation read within sets.
// CHECK-LABEL: func @parts
func.func @parts(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) -> (tensor<4x10xf32>, tensor<6x8xf32>) {
  // CHECK: tc.kernel "pad"
  // CHECK: within
  // CHECK: tc.select
  %p = tc.pad constant %x low [0, 1] high [0, 1] value 3.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  // CHECK: tc.kernel "concat"
  %c = tc.concat %x, %y dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
  return %p, %c : tensor<4x10xf32>, tensor<6x8xf32>
}

// Counting and sizes.
// CHECK-LABEL: func @counts
func.func @counts(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> (tensor<8xi64>, tensor<i64>, tensor<4x8xf32>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.index
  %i = tc.iota dim 0 start 3 step 2 : tensor<8xi64>
  // CHECK: tc.size_scalar <s0>
  %n = tc.size_value <s0> : tensor<i64>
  // CHECK: tc.kernel "full"
  %f = tc.full 1.0 : f32 -> tensor<4x8xf32>
  return %i, %n, %f : tensor<8xi64>, tensor<i64>, tensor<4x8xf32>
}

// Reductions of rows and columns.
// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<4xi64>) {
  // CHECK: tc.kernel "sum" row_reduction
  %r = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: tc.kernel "max" column_reduction
  %c = tc.reduce max %x dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  // CHECK: tc.reduce_stage argmax
  %a = tc.arg_reduce argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  return %r, %c, %a : tensor<4xf32>, tensor<8xf32>, tensor<4xi64>
}

// A matrix product is a contraction, one with a vector a reduction.
// CHECK-LABEL: func @contractions
func.func @contractions(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %v: tensor<1x8xf32>) -> (tensor<4x16xf32>, tensor<1x16xf32>) {
  // CHECK: tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 4>, #tc.dim<"n", parallel, 16>, #tc.dim<"k", reduced, 8>]
  // CHECK: tc.contract_stage
  %r = tc.contract "mk,nk->mn" %x, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  // CHECK: tc.kernel "contract" row_reduction
  %s = tc.contract "mk,nk->mn" %v, %w : tensor<1x8xf32>, tensor<16x8xf32> -> tensor<1x16xf32>
  return %r, %s : tensor<4x16xf32>, tensor<1x16xf32>
}
