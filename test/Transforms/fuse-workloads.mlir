// RUN: tc-opt %s --tc-phase-fuse | FileCheck %s

// The measured workloads, at sizes that the interpreter can run: how many
// kernels each of them becomes.

// A chain of elementwise ops.
// CHECK-LABEL: func @relu_add
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "add_relu_mul" pointwise
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @relu_add(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tc.add %x, %y : tensor<4x6xf32>
  %1 = tc.relu %0 : tensor<4x6xf32>
  %c = tc.full 2.0 : f32 -> tensor<4x6xf32>
  %2 = tc.mul %1, %c : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Softmax written as single ops.
// CHECK-LABEL: func @softmax_primitives
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "{{.*}}" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @softmax_primitives(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %m = tc.reduce max %x dims [1] : tensor<4x6xf32> -> tensor<4xf32>
  %mb = tc.broadcast %m dims [0] : tensor<4xf32> -> tensor<4x6xf32>
  %s = tc.sub %x, %mb : tensor<4x6xf32>
  %e = tc.exp %s : tensor<4x6xf32>
  %t = tc.reduce sum %e dims [1] : tensor<4x6xf32> -> tensor<4xf32>
  %tb = tc.broadcast %t dims [0] : tensor<4xf32> -> tensor<4x6xf32>
  %r = tc.div %e, %tb : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// A norm and what follows it.
// CHECK-LABEL: func @ln_gelu_scale
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "layer_norm_gelu_mul_add" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @ln_gelu_scale(%x: tensor<4x6x16xbf16>, %w: tensor<16xbf16>, %b: tensor<16xbf16>) -> tensor<4x6x16xbf16> {
  %n = tc.layer_norm %x weight %w : tensor<16xbf16> bias %b : tensor<16xbf16> rank 1 eps 1.0e-5 : tensor<4x6x16xbf16>
  %g = tc.gelu %n : tensor<4x6x16xbf16>
  %c = tc.full 1.2 : bf16 -> tensor<4x6x16xbf16>
  %d = tc.full 0.1 : bf16 -> tensor<4x6x16xbf16>
  %m = tc.mul %g, %c : tensor<4x6x16xbf16>
  %a = tc.add %m, %d : tensor<4x6x16xbf16>
  return %a : tensor<4x6x16xbf16>
}

// A row of probabilities and its entropy.
// CHECK-LABEL: func @entropy
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "{{.*}}" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @entropy(%x: tensor<3x5x12xf32>) -> tensor<3x5xf32> {
  %p = tc.softmax %x dim 2 : tensor<3x5x12xf32>
  %eps = tc.full 1.0e-9 : f32 -> tensor<3x5x12xf32>
  %q = tc.add %p, %eps : tensor<3x5x12xf32>
  %l = tc.log %q : tensor<3x5x12xf32>
  %m = tc.mul %p, %l : tensor<3x5x12xf32>
  %s = tc.reduce sum %m dims [2] : tensor<3x5x12xf32> -> tensor<3x5xf32>
  %n = tc.neg %s : tensor<3x5xf32>
  return %n : tensor<3x5xf32>
}

// A linear layer with bias and activation.
// CHECK-LABEL: func @linear_gelu
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @linear_gelu(%x: tensor<16x24xf32>, %w: tensor<40x24xf32>, %b: tensor<40xf32>) -> tensor<16x40xf32> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<16x24xf32>, tensor<40x24xf32> -> tensor<16x40xf32>
  %bb = tc.broadcast %b dims [1] : tensor<40xf32> -> tensor<16x40xf32>
  %a = tc.add %c, %bb : tensor<16x40xf32>
  %g = tc.gelu %a : tensor<16x40xf32>
  return %g : tensor<16x40xf32>
}

// Cosine similarities and their softmax.
// CHECK-LABEL: func @query_content
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "{{.*}}" row_reduction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @query_content(%q: tensor<3x16xf32>, %c: tensor<3x5x16xf32>) -> tensor<3x5xf32> {
  %q2 = tc.mul %q, %q : tensor<3x16xf32>
  %qs = tc.reduce sum %q2 dims [1] : tensor<3x16xf32> -> tensor<3xf32>
  %qn = tc.sqrt %qs : tensor<3xf32>
  %e1 = tc.full 1.0e-12 : f32 -> tensor<3xf32>
  %qm = tc.maximum %qn, %e1 : tensor<3xf32>
  %qb = tc.broadcast %qm dims [0] : tensor<3xf32> -> tensor<3x16xf32>
  %qq = tc.div %q, %qb : tensor<3x16xf32>
  %c2 = tc.mul %c, %c : tensor<3x5x16xf32>
  %cs = tc.reduce sum %c2 dims [2] : tensor<3x5x16xf32> -> tensor<3x5xf32>
  %cn = tc.sqrt %cs : tensor<3x5xf32>
  %e2 = tc.full 1.0e-12 : f32 -> tensor<3x5xf32>
  %cm = tc.maximum %cn, %e2 : tensor<3x5xf32>
  %cb = tc.broadcast %cm dims [0, 1] : tensor<3x5xf32> -> tensor<3x5x16xf32>
  %cc = tc.div %c, %cb : tensor<3x5x16xf32>
  %d = tc.contract "bd,btd->bt" %qq, %cc : tensor<3x16xf32>, tensor<3x5x16xf32> -> tensor<3x5xf32>
  %t = tc.full 0.07 : f32 -> tensor<3x5xf32>
  %dt = tc.div %d, %t : tensor<3x5xf32>
  %s = tc.softmax %dt dim 1 : tensor<3x5xf32>
  return %s : tensor<3x5xf32>
}

// A transformer block: attention reads the projection, and writes, through views.
// CHECK-LABEL: func @block
// CHECK-NOT: tc.kernel "{{.*}}" custom
// CHECK: tc.kernel "layer_norm" row_reduction
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK: tc.kernel "{{.*}}" attention
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK: tc.kernel "layer_norm" row_reduction
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK: tc.kernel "{{.*}}" contraction
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @block(%x: tensor<8x6x16xf32>, %w1: tensor<16xf32>, %b1: tensor<16xf32>, %wqkv: tensor<48x16xf32>, %bqkv: tensor<48xf32>, %wo: tensor<16x16xf32>, %bo: tensor<16xf32>, %w2: tensor<16xf32>, %b2: tensor<16xf32>, %wf1: tensor<48x16xf32>, %bf1: tensor<48xf32>, %wf2: tensor<16x48xf32>, %bf2: tensor<16xf32>) -> tensor<8x6x16xf32> {
  %n1 = tc.layer_norm %x weight %w1 : tensor<16xf32> bias %b1 : tensor<16xf32> rank 1 eps 1.0e-5 : tensor<8x6x16xf32>
  %qkv0 = tc.contract "btk,nk->btn" %n1, %wqkv : tensor<8x6x16xf32>, tensor<48x16xf32> -> tensor<8x6x48xf32>
  %bq = tc.broadcast %bqkv dims [2] : tensor<48xf32> -> tensor<8x6x48xf32>
  %qkv = tc.add %qkv0, %bq : tensor<8x6x48xf32>
  %v5 = tc.reshape %qkv : tensor<8x6x48xf32> -> tensor<8x6x3x4x4xf32>
  %p5 = tc.transpose %v5 [2, 0, 3, 1, 4] : tensor<8x6x3x4x4xf32> -> tensor<3x8x4x6x4xf32>
  %q1 = tc.slice %p5 offsets <[0, 0, 0, 0, 0]> strides [1, 1, 1, 1, 1] : tensor<3x8x4x6x4xf32> -> tensor<1x8x4x6x4xf32>
  %q = tc.reshape %q1 : tensor<1x8x4x6x4xf32> -> tensor<8x4x6x4xf32>
  %k1 = tc.slice %p5 offsets <[1, 0, 0, 0, 0]> strides [1, 1, 1, 1, 1] : tensor<3x8x4x6x4xf32> -> tensor<1x8x4x6x4xf32>
  %k = tc.reshape %k1 : tensor<1x8x4x6x4xf32> -> tensor<8x4x6x4xf32>
  %v1 = tc.slice %p5 offsets <[2, 0, 0, 0, 0]> strides [1, 1, 1, 1, 1] : tensor<3x8x4x6x4xf32> -> tensor<1x8x4x6x4xf32>
  %v = tc.reshape %v1 : tensor<1x8x4x6x4xf32> -> tensor<8x4x6x4xf32>
  %a = tc.attention %q, %k, %v scale 0.5 {causal} : tensor<8x4x6x4xf32>, tensor<8x4x6x4xf32>, tensor<8x4x6x4xf32> -> tensor<8x4x6x4xf32>
  %at = tc.transpose %a [0, 2, 1, 3] : tensor<8x4x6x4xf32> -> tensor<8x6x4x4xf32>
  %ar = tc.reshape %at : tensor<8x6x4x4xf32> -> tensor<8x6x16xf32>
  %o0 = tc.contract "btk,nk->btn" %ar, %wo : tensor<8x6x16xf32>, tensor<16x16xf32> -> tensor<8x6x16xf32>
  %bob = tc.broadcast %bo dims [2] : tensor<16xf32> -> tensor<8x6x16xf32>
  %o = tc.add %o0, %bob : tensor<8x6x16xf32>
  %x2 = tc.add %x, %o : tensor<8x6x16xf32>
  %n2 = tc.layer_norm %x2 weight %w2 : tensor<16xf32> bias %b2 : tensor<16xf32> rank 1 eps 1.0e-5 : tensor<8x6x16xf32>
  %f0 = tc.contract "btk,nk->btn" %n2, %wf1 : tensor<8x6x16xf32>, tensor<48x16xf32> -> tensor<8x6x48xf32>
  %bf1b = tc.broadcast %bf1 dims [2] : tensor<48xf32> -> tensor<8x6x48xf32>
  %f1 = tc.add %f0, %bf1b : tensor<8x6x48xf32>
  %g = tc.gelu %f1 : tensor<8x6x48xf32>
  %h0 = tc.contract "btk,nk->btn" %g, %wf2 : tensor<8x6x48xf32>, tensor<16x48xf32> -> tensor<8x6x16xf32>
  %bf2b = tc.broadcast %bf2 dims [2] : tensor<16xf32> -> tensor<8x6x16xf32>
  %h = tc.add %h0, %bf2b : tensor<8x6x16xf32>
  %r = tc.add %x2, %h : tensor<8x6x16xf32>
  return %r : tensor<8x6x16xf32>
}

// A bias whose sum three parts are taken of is added on the product's tile;
// what is computed of the parts is short, and one launch.
// CHECK-LABEL: func @projections
// CHECK: tc.kernel "{{[a-z_]*}}add{{[a-z_]*}}" contraction
// CHECK: tc.kernel "slice_exp_slice_exp_slice_mul" pointwise
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @projections(%x: tensor<6x8xf32>, %w: tensor<12x8xf32>, %b: tensor<12xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %p = tc.contract "ik,jk->ij" %x, %w : tensor<6x8xf32>, tensor<12x8xf32> -> tensor<6x12xf32>
  %bb = tc.broadcast %b dims [1] : tensor<12xf32> -> tensor<6x12xf32>
  %s = tc.add %p, %bb : tensor<6x12xf32>
  %q = tc.slice %s offsets <[0, 0]> strides [1, 1] : tensor<6x12xf32> -> tensor<6x4xf32>
  %k = tc.slice %s offsets <[0, 4]> strides [1, 1] : tensor<6x12xf32> -> tensor<6x4xf32>
  %v = tc.slice %s offsets <[0, 8]> strides [1, 1] : tensor<6x12xf32> -> tensor<6x4xf32>
  %qe = tc.exp %q : tensor<6x4xf32>
  %ke = tc.exp %k : tensor<6x4xf32>
  %qk = tc.mul %qe, %v : tensor<6x4xf32>
  return %qk, %ke : tensor<6x4xf32>, tensor<6x4xf32>
}

// The second norm is computed when the second product needs it: in one kernel
// with the first, it would wait in memory for the first product.
// CHECK-LABEL: func @parallel_branches
// CHECK: contraction
// CHECK: tc.kernel "layer_norm" row_reduction
// CHECK: contraction
// CHECK: tc.kernel "layer_norm" row_reduction
// CHECK: contraction
// CHECK: return
func.func @parallel_branches(%x: tensor<6x8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %r = tc.contract "ik,jk->ij" %x, %w : tensor<6x8xf32>, tensor<8x8xf32> -> tensor<6x8xf32>
  %n = tc.layer_norm %r weight %a : tensor<8xf32> rank 1 eps 1.0e-05 : tensor<6x8xf32>
  %h = tc.contract "ik,jk->ij" %n, %w : tensor<6x8xf32>, tensor<8x8xf32> -> tensor<6x8xf32>
  %p = tc.contract "ik,jk->ij" %h, %w : tensor<6x8xf32>, tensor<8x8xf32> -> tensor<6x8xf32>
  %m = tc.layer_norm %r weight %b : tensor<8xf32> rank 1 eps 1.0e-05 : tensor<6x8xf32>
  %q = tc.contract "ik,jk->ij" %m, %u : tensor<6x8xf32>, tensor<8x8xf32> -> tensor<6x8xf32>
  %s = tc.add %p, %q : tensor<6x8xf32>
  %t = tc.add %r, %s : tensor<6x8xf32>
  return %t : tensor<6x8xf32>
}
