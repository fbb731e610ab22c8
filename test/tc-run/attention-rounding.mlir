// RUN: tc-run %s --check --function=scores --random-inputs=0 | FileCheck %s
// RUN: tc-run %s --check --function=weights --random-inputs=0 | FileCheck %s
// RUN: tc-run %s --check --function=folded --random-inputs=0 | FileCheck %s
// RUN: tc-run %s --check --function=whole --random-inputs=0 | FileCheck %s
// RUN: tc-run %s --check --function=folded_in_double --random-inputs=0 | FileCheck %s

// A cast between the products of attention changes what comes after it, and that
// alone: the scores, the weights of the second product, or those of the sum.
// CHECK: output 0: 2x9x12xf32, largest difference {{[0-9.]+}}e-{{0[6-9]}} absolute
module attributes {tc.phase = "fuse"} {
func.func @scores(%q: tensor<2x9x8xf32>, %k: tensor<2x20x8xf32>, %v: tensor<2x20x12xf32>) -> tensor<2x9x12xf32> {
  %o = tc.empty : tensor<2x9x12xf32>
  %r = tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 9>, #tc.dim<"v", parallel, 12>, #tc.dim<"k", reduced, 20>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 9, key_lanes = 32, column_lanes = 16, softmax_lanes = 32, row_block = 96, few_rows = 3> ins(%i = %q : tensor<2x9x8xf32>, %j = %k : tensor<2x20x8xf32>, %l = %v : tensor<2x20x12xf32>) outs(%y = %o : tensor<2x9x12xf32>) {
    %a = tc.read %i[affine_map<(b, q, c, k, d) -> (b, q, d)>] : tensor<2x9x8xf32> -> f32
    %b = tc.read %j[affine_map<(b, q, c, k, d) -> (b, k, d)>] : tensor<2x20x8xf32> -> f32
    %c = tc.contract_stage %a, %b over [4] : f32, f32 -> f32
    %h = tc.cast %c rounds : f32 to bf16
    %hf = tc.cast %h : bf16 to f32
    %m = tc.reduce_stage max %hf over [3] : f32 -> f32
    %n = tc.sub %hf, %m : f32
    %e = tc.exp %n : f32
    %s = tc.reduce_stage sum %e over [3] : f32 -> f32
    %u = tc.read %l[affine_map<(b, q, c, k, d) -> (b, k, c)>] : tensor<2x20x12xf32> -> f32
    %w = tc.contract_stage %e, %u over [3] : f32, f32 -> f32
    %sf = tc.abs %s : f32
    %z = tc.div %w, %sf : f32
    tc.write %z, %y[affine_map<(b, q, c, k, d) -> (b, q, c)>] : f32, tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}

func.func @weights(%q: tensor<2x9x8xf32>, %k: tensor<2x20x8xf32>, %v: tensor<2x20x12xf32>) -> tensor<2x9x12xf32> {
  %o = tc.empty : tensor<2x9x12xf32>
  %r = tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 9>, #tc.dim<"v", parallel, 12>, #tc.dim<"k", reduced, 20>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 9, key_lanes = 32, column_lanes = 16, softmax_lanes = 32, row_block = 96, few_rows = 3> ins(%i = %q : tensor<2x9x8xf32>, %j = %k : tensor<2x20x8xf32>, %l = %v : tensor<2x20x12xf32>) outs(%y = %o : tensor<2x9x12xf32>) {
    %a = tc.read %i[affine_map<(b, q, c, k, d) -> (b, q, d)>] : tensor<2x9x8xf32> -> f32
    %b = tc.read %j[affine_map<(b, q, c, k, d) -> (b, k, d)>] : tensor<2x20x8xf32> -> f32
    %c = tc.contract_stage %a, %b over [4] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [3] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %e = tc.exp %n : f32
    %h = tc.cast %e rounds : f32 to f8E4M3FN
    %hf = tc.cast %h : f8E4M3FN to f32
    %s = tc.reduce_stage sum %e over [3] : f32 -> f32
    %u = tc.read %l[affine_map<(b, q, c, k, d) -> (b, k, c)>] : tensor<2x20x12xf32> -> f32
    %w = tc.contract_stage %hf, %u over [3] : f32, f32 -> f32
    %sf = tc.abs %s : f32
    %z = tc.div %w, %sf : f32
    tc.write %z, %y[affine_map<(b, q, c, k, d) -> (b, q, c)>] : f32, tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}

func.func @folded(%q: tensor<2x9x8xf32>, %k: tensor<2x20x8xf32>, %v: tensor<2x20x12xf32>) -> tensor<2x9x12xf32> {
  %o = tc.empty : tensor<2x9x12xf32>
  %r = tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 9>, #tc.dim<"v", parallel, 12>, #tc.dim<"k", reduced, 20>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 9, key_lanes = 32, column_lanes = 16, softmax_lanes = 32, row_block = 96, few_rows = 3> ins(%i = %q : tensor<2x9x8xf32>, %j = %k : tensor<2x20x8xf32>, %l = %v : tensor<2x20x12xf32>) outs(%y = %o : tensor<2x9x12xf32>) {
    %a = tc.read %i[affine_map<(b, q, c, k, d) -> (b, q, d)>] : tensor<2x9x8xf32> -> f32
    %b = tc.read %j[affine_map<(b, q, c, k, d) -> (b, k, d)>] : tensor<2x20x8xf32> -> f32
    %c = tc.contract_stage %a, %b over [4] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [3] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %e = tc.exp %n : f32
    %h = tc.cast %e rounds : f32 to f8E4M3FN
    %hf = tc.cast %h : f8E4M3FN to f32
    %s = tc.reduce_stage sum %hf over [3] : f32 -> f32
    %u = tc.read %l[affine_map<(b, q, c, k, d) -> (b, k, c)>] : tensor<2x20x12xf32> -> f32
    %w = tc.contract_stage %e, %u over [3] : f32, f32 -> f32
    %sf = tc.abs %s : f32
    %z = tc.div %w, %sf : f32
    tc.write %z, %y[affine_map<(b, q, c, k, d) -> (b, q, c)>] : f32, tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}

func.func @whole(%q: tensor<2x9x8xf32>, %k: tensor<2x20x8xf32>, %v: tensor<2x20x12xf32>) -> tensor<2x9x12xf32> {
  %o = tc.empty : tensor<2x9x12xf32>
  %r = tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 9>, #tc.dim<"v", parallel, 12>, #tc.dim<"k", reduced, 20>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 9, key_lanes = 32, column_lanes = 16, softmax_lanes = 32, row_block = 96, few_rows = 3> ins(%i = %q : tensor<2x9x8xf32>, %j = %k : tensor<2x20x8xf32>, %l = %v : tensor<2x20x12xf32>) outs(%y = %o : tensor<2x9x12xf32>) {
    %a = tc.read %i[affine_map<(b, q, c, k, d) -> (b, q, d)>] : tensor<2x9x8xf32> -> f32
    %b = tc.read %j[affine_map<(b, q, c, k, d) -> (b, k, d)>] : tensor<2x20x8xf32> -> f32
    %c = tc.contract_stage %a, %b over [4] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [3] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %e = tc.exp %n : f32
    %h = tc.cast %e : f32 to i32
    %hf = tc.cast %h : i32 to f32
    %s = tc.reduce_stage sum %e over [3] : f32 -> f32
    %u = tc.read %l[affine_map<(b, q, c, k, d) -> (b, k, c)>] : tensor<2x20x12xf32> -> f32
    %w = tc.contract_stage %hf, %u over [3] : f32, f32 -> f32
    %sf = tc.abs %s : f32
    %z = tc.div %w, %sf : f32
    tc.write %z, %y[affine_map<(b, q, c, k, d) -> (b, q, c)>] : f32, tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}

func.func @folded_in_double(%q: tensor<2x9x8xf32>, %k: tensor<2x20x8xf32>, %v: tensor<2x20x12xf32>) -> tensor<2x9x12xf32> {
  %o = tc.empty : tensor<2x9x12xf32>
  %r = tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 9>, #tc.dim<"v", parallel, 12>, #tc.dim<"k", reduced, 20>, #tc.dim<"d", reduced, 8>] schedule #tc.loop_schedule<vector_dim = 2, vector_width = 16, grain = 32> ins(%i = %q : tensor<2x9x8xf32>, %j = %k : tensor<2x20x8xf32>, %l = %v : tensor<2x20x12xf32>) outs(%y = %o : tensor<2x9x12xf32>) {
    %a = tc.read %i[affine_map<(b, q, c, k, d) -> (b, q, d)>] : tensor<2x9x8xf32> -> f32
    %b = tc.read %j[affine_map<(b, q, c, k, d) -> (b, k, d)>] : tensor<2x20x8xf32> -> f32
    %c = tc.contract_stage %a, %b over [4] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [3] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %e = tc.exp %n : f32
    %h = tc.cast %e : f32 to f64
    %s = tc.reduce_stage sum %h over [3] : f64 -> f64
    %u = tc.read %l[affine_map<(b, q, c, k, d) -> (b, k, c)>] : tensor<2x20x12xf32> -> f32
    %w = tc.contract_stage %e, %u over [3] : f32, f32 -> f32
    %sf = tc.cast %s : f64 to f32
    %z = tc.div %w, %sf : f32
    tc.write %z, %y[affine_map<(b, q, c, k, d) -> (b, q, c)>] : f32, tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}
}
