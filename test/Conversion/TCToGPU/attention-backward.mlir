// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu --verify-diagnostics | FileCheck %s

// A warp group copies: keys, values, queries and their gradients, and, in two threads that have a stage each, what is added up for the queries, in turn. The others multiply: a step of each loop finishes the one before, and gives what it has stored for it once the weights are found.
// CHECK-LABEL: gpu.module @attention_backward_0
// CHECK: block.pipeline at 155648 consumers 1 producers 8 : <2, 32768>
// CHECK: block.role registers = 24
// CHECK: block.box_out
// CHECK: block.await_turn
// CHECK: block.box_out {{.*}} add
// CHECK: block.copy_out_wait written
// CHECK: block.end_turn
// CHECK: block.role registers = 240 more
// CHECK: scf.for
// CHECK: scf.for
// CHECK: block.store_words
// CHECK: block.meet_groups 2
// CHECK: block.store_values {{.*}} across
// CHECK: block.mma_words
// CHECK: block.give
// CHECK-NOT: arith.cmpi sge
// CHECK: scf.for
// CHECK: block.store_words
// CHECK: arith.cmpi sge
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @backward(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 6] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @queries(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  // expected-error @+1 {{'tc.kernel' op 'attention_backward' has a #tc.gpu_attention_backward_schedule, but it has a depth of 128: expected steps of 64 queries, not 128}}
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 128, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 6] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @stages(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  // expected-error @+1 {{'tc.kernel' op 'attention_backward' has a #tc.gpu_attention_backward_schedule, but its stages take 363520 bytes of shared memory; expected at most 232448}}
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 6, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 6] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @computed(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  // expected-error @+1 {{'tc.kernel' op 'attention_backward' has a #tc.gpu_attention_backward_schedule, but it computes its queries}}
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %neg = tc.neg %13 : bf16
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %neg, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 6] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_80", features = "+ptx80">} {
func.func @old(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  // expected-error @+1 {{'tc.kernel' op 'attention_backward' has a #tc.gpu_attention_backward_schedule, but the target is not sm_90a with at least ptx86}}
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 6] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @dims(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    // expected-error @+1 {{'tc.attention_backward_stage' op names dimension 5; expected distinct dimensions below 7}}
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5, 5] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @four_dims(%b0: memref<2x128x128xbf16>, %b1: memref<2x128x128xbf16>, %b2: memref<2x256x128xbf16>, %b3: memref<2x256x128xbf16>, %b4: memref<2x128xf32>, %b5: memref<2x128xf32>, %b6: memref<2x128x128xf32>, %b7: memref<2x256x128xbf16>, %b8: memref<2x256x128xbf16>) {
  tc.kernel "attention_backward" custom dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 1>, #tc.dim<"l", parallel, 128>, #tc.dim<"m", parallel, 256>, #tc.dim<"n", parallel, 128>, #tc.dim<"p", parallel, 128>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%arg6 = %b0 : memref<2x128x128xbf16>, %arg7 = %b1 : memref<2x128x128xbf16>, %arg8 = %b2 : memref<2x256x128xbf16>, %arg9 = %b3 : memref<2x256x128xbf16>, %arg10 = %b4 : memref<2x128xf32>, %arg11 = %b5 : memref<2x128xf32>) outs(%arg12 = %b6 : memref<2x128x128xf32>, %arg13 = %b7 : memref<2x256x128xbf16>, %arg14 = %b8 : memref<2x256x128xbf16>) {
    %12 = tc.read %arg6[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d6)>] : memref<2x128x128xbf16> -> bf16
    %13 = tc.read %arg7[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : memref<2x128x128xbf16> -> bf16
    %14 = tc.read %arg8[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : memref<2x256x128xbf16> -> bf16
    %15 = tc.read %arg9[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : memref<2x256x128xbf16> -> bf16
    %16 = tc.read %arg10[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %17 = tc.read %arg11[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3)>] : memref<2x128xf32> -> f32
    %zero = tc.scalar 0.000000e+00 : f32
    %lowest = tc.scalar 0xFF800000 : f32
    %counts = tc.within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)> : i1
    %added = tc.select %counts, %zero, %lowest : i1, f32
    // expected-error @+1 {{'tc.attention_backward_stage' op names 4 dimensions; expected 5}}
    %grad_q, %grad_k, %grad_v = tc.attention_backward_stage %12, %13, %14, %15, %16, %17 added %added dims [2, 3, 4, 5] scale 0.088388347648318447 : bf16
    tc.write %grad_q, %arg12[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d3, d5)>] : f32, memref<2x128x128xf32>
    tc.write %grad_k, %arg13[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5)>] : bf16, memref<2x256x128xbf16>
    tc.write %grad_v, %arg14[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d6)>] : bf16, memref<2x256x128xbf16>
  }

  return
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
func.func @other(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.gpu_attention_backward_schedule; expected a kernel with a tc.attention_backward_stage}}
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 4>] schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8> ins(%a = %x : memref<4xf32>) outs(%o = %y : memref<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  return
}
}
