// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu --verify-diagnostics | FileCheck %s

// Keys from 300 before the query up to 5 behind it: blocks at both ends have keys that do not count.
// CHECK-LABEL: gpu.func @window
// CHECK: block.role registers = 240 more
// CHECK: block.mma_wait %
// CHECK: scf.for
// CHECK: block.mma_words
// CHECK: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: block.mma_words
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: block.mma_words
// CHECK: arith.cmpi
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: block.mma_words
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @window(%q: memref<64x4096x128xbf16>, %k: memref<64x4096x128xbf16>, %v: memref<64x4096x128xbf16>) {
    %o = tc.output_buffer 0 : memref<64x4096x128xbf16>
    tc.kernel "window" attention dims [#tc.dim<"b", parallel, 64>, #tc.dim<"q", parallel, 4096>, #tc.dim<"v", parallel, 128>, #tc.dim<"k", reduced, 4096>, #tc.dim<"d", reduced, 128>] schedule #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2> ins(%a = %q : memref<64x4096x128xbf16>, %b = %k : memref<64x4096x128xbf16>, %c = %v : memref<64x4096x128xbf16>) outs(%e = %o : memref<64x4096x128xbf16>) {
      %0 = tc.read %a[affine_map<(b, q, v, k, d) -> (b, q, d)>] : memref<64x4096x128xbf16> -> bf16
      %1 = tc.read %b[affine_map<(b, q, v, k, d) -> (b, k, d)>] : memref<64x4096x128xbf16> -> bf16
      %2 = tc.contract_stage %0, %1 over [4] : bf16, bf16 -> f32
      %3 = tc.within affine_set<(b, q, v, k, d) : (q - k + 5 >= 0, k - q + 300 >= 0)> : i1
      %4 = tc.scalar 0xFF800000 : f32
      %5 = tc.select %3, %2, %4 : i1, f32
      %6 = tc.reduce_stage max %5 over [3] : f32 -> f32
      %7 = tc.sub %5, %6 : f32
      %8 = tc.exp %7 : f32
      %9 = tc.reduce_stage sum %8 over [3] : f32 -> f32
      %10 = tc.cast %8 : f32 to bf16
      %11 = tc.read %c[affine_map<(b, q, v, k, d) -> (b, k, v)>] : memref<64x4096x128xbf16> -> bf16
      %12 = tc.contract_stage %10, %11 over [3] : bf16, bf16 -> f32
      %13 = tc.div %12, %9 : f32
      %14 = tc.cast %13 : f32 to bf16
      tc.write %14, %e[affine_map<(b, q, v, k, d) -> (b, q, v)>] : bf16, memref<64x4096x128xbf16>
    }
    return
  }
}

// -----

// The stages of a block have to fit into its shared memory.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @stages(%q: memref<4096x128xbf16>, %k: memref<4096x128xbf16>, %v: memref<4096x128xbf16>) {
    %o = tc.output_buffer 0 : memref<4096x128xbf16>
    // expected-error @below {{'tc.kernel' op 'stages' has a #tc.gpu_attention_schedule, but its tiles take 297984 bytes of shared memory; expected at most 232448}}
    tc.kernel "stages" attention dims [#tc.dim<"q", parallel, 4096>, #tc.dim<"v", parallel, 128>, #tc.dim<"k", reduced, 4096>, #tc.dim<"d", reduced, 128>] schedule #tc.gpu_attention_schedule<vector_dim = 1, rows = 128, keys = 128, stages = 4> ins(%a = %q : memref<4096x128xbf16>, %b = %k : memref<4096x128xbf16>, %c = %v : memref<4096x128xbf16>) outs(%e = %o : memref<4096x128xbf16>) {
      %0 = tc.read %a[affine_map<(q, v, k, d) -> (q, d)>] : memref<4096x128xbf16> -> bf16
      %1 = tc.read %b[affine_map<(q, v, k, d) -> (k, d)>] : memref<4096x128xbf16> -> bf16
      %2 = tc.contract_stage %0, %1 over [3] : bf16, bf16 -> f32
      %6 = tc.reduce_stage max %2 over [2] : f32 -> f32
      %7 = tc.sub %2, %6 : f32
      %8 = tc.exp %7 : f32
      %9 = tc.reduce_stage sum %8 over [2] : f32 -> f32
      %10 = tc.cast %8 : f32 to bf16
      %11 = tc.read %c[affine_map<(q, v, k, d) -> (k, v)>] : memref<4096x128xbf16> -> bf16
      %12 = tc.contract_stage %10, %11 over [2] : bf16, bf16 -> f32
      %13 = tc.div %12, %9 : f32
      %14 = tc.cast %13 : f32 to bf16
      tc.write %14, %e[affine_map<(q, v, k, d) -> (q, v)>] : bf16, memref<4096x128xbf16>
    }
    return
  }
}

// -----

// Results of f32 are not what the copy engine stores.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @stored(%q: memref<4096x128xbf16>, %k: memref<4096x128xbf16>, %v: memref<4096x128xbf16>) {
    %o = tc.output_buffer 0 : memref<4096x128xf32>
    // expected-error @below {{'tc.kernel' op 'stored' has a #tc.gpu_attention_schedule, but the copy engine cannot store its results: expected one for each point, of bf16 or f16, contiguous along a number of columns that is a multiple of 32, in rows multiples of 16 bytes apart}}
    tc.kernel "stored" attention dims [#tc.dim<"q", parallel, 4096>, #tc.dim<"v", parallel, 128>, #tc.dim<"k", reduced, 4096>, #tc.dim<"d", reduced, 128>] schedule #tc.gpu_attention_schedule<vector_dim = 1, rows = 128, keys = 128, stages = 2, async_store = true> ins(%a = %q : memref<4096x128xbf16>, %b = %k : memref<4096x128xbf16>, %c = %v : memref<4096x128xbf16>) outs(%e = %o : memref<4096x128xf32>) {
      %0 = tc.read %a[affine_map<(q, v, k, d) -> (q, d)>] : memref<4096x128xbf16> -> bf16
      %1 = tc.read %b[affine_map<(q, v, k, d) -> (k, d)>] : memref<4096x128xbf16> -> bf16
      %2 = tc.contract_stage %0, %1 over [3] : bf16, bf16 -> f32
      %6 = tc.reduce_stage max %2 over [2] : f32 -> f32
      %7 = tc.sub %2, %6 : f32
      %8 = tc.exp %7 : f32
      %9 = tc.reduce_stage sum %8 over [2] : f32 -> f32
      %10 = tc.cast %8 : f32 to bf16
      %11 = tc.read %c[affine_map<(q, v, k, d) -> (k, v)>] : memref<4096x128xbf16> -> bf16
      %12 = tc.contract_stage %10, %11 over [2] : bf16, bf16 -> f32
      %13 = tc.div %12, %9 : f32
      tc.write %13, %e[affine_map<(q, v, k, d) -> (q, v)>] : f32, memref<4096x128xf32>
    }
    return
  }
}

// -----

// Each of the blocks that share the keys of a tile has a part of its columns.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @shared(%q: memref<4096x128xbf16>, %k: memref<4096x128xbf16>, %v: memref<4096x72xbf16>) {
    %o = tc.output_buffer 0 : memref<4096x72xbf16>
    // expected-error @below {{'tc.kernel' op 'shared' has a #tc.gpu_attention_schedule, but it has 72 columns; expected a multiple of 16}}
    tc.kernel "shared" attention dims [#tc.dim<"q", parallel, 4096>, #tc.dim<"v", parallel, 72>, #tc.dim<"k", reduced, 4096>, #tc.dim<"d", reduced, 128>] schedule #tc.gpu_attention_schedule<vector_dim = 1, rows = 64, keys = 64, stages = 2, splits = 2> ins(%a = %q : memref<4096x128xbf16>, %b = %k : memref<4096x128xbf16>, %c = %v : memref<4096x72xbf16>) outs(%e = %o : memref<4096x72xbf16>) {
      %0 = tc.read %a[affine_map<(q, v, k, d) -> (q, d)>] : memref<4096x128xbf16> -> bf16
      %1 = tc.read %b[affine_map<(q, v, k, d) -> (k, d)>] : memref<4096x128xbf16> -> bf16
      %2 = tc.contract_stage %0, %1 over [3] : bf16, bf16 -> f32
      %6 = tc.reduce_stage max %2 over [2] : f32 -> f32
      %7 = tc.sub %2, %6 : f32
      %8 = tc.exp %7 : f32
      %9 = tc.reduce_stage sum %8 over [2] : f32 -> f32
      %10 = tc.cast %8 : f32 to bf16
      %11 = tc.read %c[affine_map<(q, v, k, d) -> (k, v)>] : memref<4096x72xbf16> -> bf16
      %12 = tc.contract_stage %10, %11 over [2] : bf16, bf16 -> f32
      %13 = tc.div %12, %9 : f32
      %14 = tc.cast %13 : f32 to bf16
      tc.write %14, %e[affine_map<(q, v, k, d) -> (q, v)>] : bf16, memref<4096x72xbf16>
    }
    return
  }
}

// -----

// Weights are exponentials of the scores less the largest of the row.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @weights(%q: memref<4096x128xbf16>, %k: memref<4096x128xbf16>, %v: memref<4096x128xbf16>) {
    %o = tc.output_buffer 0 : memref<4096x128xbf16>
    // expected-error @below {{'tc.kernel' op 'weights' has a #tc.gpu_attention_schedule, but its weights are not exponentials of scores less the largest of the row}}
    tc.kernel "weights" attention dims [#tc.dim<"q", parallel, 4096>, #tc.dim<"v", parallel, 128>, #tc.dim<"k", reduced, 4096>, #tc.dim<"d", reduced, 128>] schedule #tc.gpu_attention_schedule<vector_dim = 1, rows = 128, keys = 128, stages = 2> ins(%a = %q : memref<4096x128xbf16>, %b = %k : memref<4096x128xbf16>, %c = %v : memref<4096x128xbf16>) outs(%e = %o : memref<4096x128xbf16>) {
      %0 = tc.read %a[affine_map<(q, v, k, d) -> (q, d)>] : memref<4096x128xbf16> -> bf16
      %1 = tc.read %b[affine_map<(q, v, k, d) -> (k, d)>] : memref<4096x128xbf16> -> bf16
      %2 = tc.contract_stage %0, %1 over [3] : bf16, bf16 -> f32
      %6 = tc.reduce_stage max %2 over [2] : f32 -> f32
      %7 = tc.sub %2, %6 : f32
      %8 = tc.sigmoid %7 : f32
      %9 = tc.reduce_stage sum %8 over [2] : f32 -> f32
      %10 = tc.cast %8 : f32 to bf16
      %11 = tc.read %c[affine_map<(q, v, k, d) -> (k, v)>] : memref<4096x128xbf16> -> bf16
      %12 = tc.contract_stage %10, %11 over [2] : bf16, bf16 -> f32
      %13 = tc.div %12, %9 : f32
      %14 = tc.cast %13 : f32 to bf16
      tc.write %14, %e[affine_map<(q, v, k, d) -> (q, v)>] : bf16, memref<4096x128xbf16>
    }
    return
  }
}
