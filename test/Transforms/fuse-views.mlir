// RUN: tc-opt %s --tc-phase-fuse | FileCheck %s

// Views between kernels become index maps.

// Concatenation, padding and slicing around pointwise ops.
// CHECK-LABEL: func @parts
// CHECK: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @parts(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x9xf32> {
  %e = tc.exp %x : tensor<4x8xf32>
  %n = tc.neg %y : tensor<4x8xf32>
  %c = tc.concat %e, %n dim 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  %s = tc.slice %c offsets <[0, 4]> strides [1, 1] : tensor<4x16xf32> -> tensor<4x7xf32>
  %p = tc.pad constant %s low [0, 1] high [0, 1] value 2.0 : f32 : tensor<4x7xf32> -> tensor<4x9xf32>
  %r = tc.cos %p : tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// A bias, an activation and a residual after a reshape of the contraction.
// CHECK-LABEL: func @reshaped_linear
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @reshaped_linear(%x: tensor<2x3x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>, %z: tensor<2x3x16xf32>) -> tensor<2x3x16xf32> {
  %f = tc.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %c = tc.contract "mk,nk->mn" %f, %w : tensor<6x8xf32>, tensor<16x8xf32> -> tensor<6x16xf32>
  %bb = tc.broadcast %b dims [1] : tensor<16xf32> -> tensor<6x16xf32>
  %a = tc.add %c, %bb : tensor<6x16xf32>
  %u = tc.reshape %a : tensor<6x16xf32> -> tensor<2x3x16xf32>
  %g = tc.gelu %u : tensor<2x3x16xf32>
  %r = tc.add %g, %z : tensor<2x3x16xf32>
  return %r : tensor<2x3x16xf32>
}

// A reshape with a transpose before it: the flat dimension is split.
// CHECK-LABEL: func @channels_last
// CHECK: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @channels_last(%x: tensor<4x3x5xf32>) -> tensor<3x20xf32> {
  %t = tc.transpose %x [1, 2, 0] : tensor<4x3x5xf32> -> tensor<3x5x4xf32>
  %r = tc.reshape %t : tensor<3x5x4xf32> -> tensor<3x20xf32>
  %e = tc.exp %r : tensor<3x20xf32>
  return %e : tensor<3x20xf32>
}

// Embedding, position and norm: the lookup is part of the row kernel.
// CHECK-LABEL: func @embedding
// CHECK: tc.kernel "{{.*}}" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @embedding(%t: tensor<10x8xf32>, %p: tensor<4x8xf32>, %i: tensor<2x4xi64>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %e = tc.index_tensors %t[%i] dims [0] : tensor<10x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
  %q = tc.broadcast %p dims [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %s = tc.add %e, %q : tensor<2x4x8xf32>
  %n = tc.layer_norm %s weight %w : tensor<8xf32> bias %b : tensor<8xf32> rank 1 eps 1.0e-5 : tensor<2x4x8xf32>
  return %n : tensor<2x4x8xf32>
}

// Symbolic rows.
// CHECK-LABEL: func @symbolic
// CHECK: tc.kernel "{{.*}}" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %s = tc.softmax %x dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %e = tc.exp %s : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %e : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}

// Batch statistics: mean and variance of columns, then the normalized input.
// CHECK-LABEL: func @columns
// CHECK: tc.kernel "{{.*}}" column_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @columns(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %n = tc.full 6.0 : f32 -> tensor<8xf32>
  %s = tc.reduce sum %x dims [0] : tensor<6x8xf32> -> tensor<8xf32>
  %m = tc.div %s, %n : tensor<8xf32>
  %mb = tc.broadcast %m dims [1] : tensor<8xf32> -> tensor<6x8xf32>
  %d = tc.sub %x, %mb : tensor<6x8xf32>
  %dd = tc.mul %d, %d : tensor<6x8xf32>
  %q = tc.reduce sum %dd dims [0] : tensor<6x8xf32> -> tensor<8xf32>
  %v = tc.div %q, %n : tensor<8xf32>
  %r = tc.rsqrt %v : tensor<8xf32>
  %rb = tc.broadcast %r dims [1] : tensor<8xf32> -> tensor<6x8xf32>
  %o = tc.mul %d, %rb : tensor<6x8xf32>
  return %o : tensor<6x8xf32>
}
