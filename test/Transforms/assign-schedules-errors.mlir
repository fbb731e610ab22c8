// RUN: tc-opt %s --tc-assign-schedules --split-input-file --verify-diagnostics

// Tiles belong to contractions.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.contraction_schedule; expected a kernel of class contraction}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Lanes need a dimension.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{#tc.loop_schedule field vector_width is 8; expected at most 1}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_width = 8> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Code is in proportion to lanes and body.
func.func @f(%x: tensor<8xf64>) -> tensor<8xf64> {
  %e = tc.empty : tensor<8xf64>
  // expected-error @+1 {{'tc.kernel' op has a schedule with vector_width 32 and unroll 16 of 64-bit elements; expected at most 16384 bits together for a body of this length}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 32, unroll = 16> ins(%a = %x : tensor<8xf64>) outs(%o = %e : tensor<8xf64>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf64> -> f64
    %n = tc.neg %v : f64
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f64, tensor<8xf64>
  }
  return %0 : tensor<8xf64>
}

// -----

// Strided elements are put into lanes one by one.
func.func @f(%x: tensor<8x5xi8>) -> tensor<8xi8> {
  %e = tc.empty : tensor<8xi8>
  // expected-error @+1 {{'tc.kernel' op has a schedule with vector_width 64 and unroll 8, 512 lanes; expected at most 128 along vector_dim 0, where a read has another stride than 0 or 1}}
  %0 = tc.kernel "sum" column_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 5>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64, unroll = 8> ins(%a = %x : tensor<8x5xi8>) outs(%o = %e : tensor<8xi8>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x5xi8> -> i8
    %n = tc.reduce_stage sum %v over [1] : i8 -> i8
    tc.write %n, %o[affine_map<(d0, d1) -> (d0)>] : i8, tensor<8xi8>
  }
  return %0 : tensor<8xi8>
}

// -----

// Lanes run along a dimension of the results.
func.func @f(%x: tensor<4x8xbf16>, %y: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  %e = tc.empty : tensor<4x16xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with vector_dim 2; expected a dimension of the results of its only contraction, along which one operand varies and the other does not}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 4>, #tc.dim<"n", parallel, 16>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 2, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 4, block_lanes = 16>> ins(%a = %x : tensor<4x8xbf16>, %b = %y : tensor<8x16xbf16>) outs(%o = %e : tensor<4x16xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<4x8xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x16xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// -----

// The accumulators of a tile fit the registers.
func.func @f(%x: tensor<64x8xf32>, %y: tensor<8x64xf32>) -> tensor<64x64xf32> {
  %e = tc.empty : tensor<64x64xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with a tile of 33 rows and 16 lanes; expected accumulators in at most 32 vector registers of vector_width 16, each of at most 512 bits}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 33, lanes = 9, reduced = 32, block_rows = 33, block_lanes = 16>> ins(%a = %x : tensor<64x8xf32>, %b = %y : tensor<8x64xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<64x8xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// A wide vector takes several registers of the CPU for each accumulator.
func.func @f(%x: tensor<64x8xf64>, %y: tensor<8x64xf64>) -> tensor<64x64xf64> {
  %e = tc.empty : tensor<64x64xf64>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with a tile of 5 rows and 64 lanes; expected accumulators in at most 32 vector registers of vector_width 64, each of at most 512 bits}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 64, tile = <rows = 5, lanes = 5, reduced = 32, block_rows = 5, block_lanes = 64>> ins(%a = %x : tensor<64x8xf64>, %b = %y : tensor<8x64xf64>) outs(%o = %e : tensor<64x64xf64>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<64x8xf64> -> f64
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x64xf64> -> f64
    %s = tc.contract_stage %u, %v over [2] : f64, f64 -> f64
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f64, tensor<64x64xf64>
  }
  return %0 : tensor<64x64xf64>
}

// -----

// The tile of few points is one too.
func.func @f(%x: tensor<64x8xf32>, %y: tensor<8x64xf32>) -> tensor<64x64xf32> {
  %e = tc.empty : tensor<64x64xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with a few_tile of 33 rows and 16 lanes; expected accumulators in at most 32 vector registers of vector_width 16, each of at most 512 bits}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 4, block_lanes = 16>, few_below = 64, few_tile = <rows = 33, lanes = 16, reduced = 32, block_rows = 33, block_lanes = 16>> ins(%a = %x : tensor<64x8xf32>, %b = %y : tensor<8x64xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<64x8xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// A register adds up as many results as it has lanes.
func.func @f(%x: tensor<64x8xf32>, %y: tensor<64x8xf32>) -> tensor<64x64xf32> {
  %e = tc.empty : tensor<64x64xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with a tile of 2 rows and 9 lanes, which sum vectors; expected no more lanes than vector_width, and accumulators in at most 32 vector registers of vector_width 8, each of at most 512 bits}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 8, tile = <rows = 2, lanes = 9, reduced = 8, block_rows = 4, block_lanes = 64, panel = points>> ins(%a = %x : tensor<64x8xf32>, %b = %y : tensor<64x8xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<64x8xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<64x8xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Something is transposed.
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tc.empty : tensor<8x8xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.transpose_schedule with vector_dim 1; expected a dimension along which all writes are contiguous and a read is not}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 8>] schedule #tc.transpose_schedule<vector_dim = 1, vector_width = 8, tile_rows = 8, tile_lanes = 8> ins(%a = %x : tensor<8x8xf32>) outs(%o = %e : tensor<8x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Pairs are stored as they are.
func.func @f(%x: tensor<8x8x2xbf16>) -> tensor<8x8x2xbf16> {
  %e = tc.empty : tensor<8x8x2xbf16>
  // expected-error @+1 {{'tc.kernel' op has a #tc.transpose_schedule with nontemporal true; expected false where pairs are copied}}
  %0 = tc.kernel "pairs" transpose dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 8>, #tc.dim<"l", parallel, 2>] schedule #tc.transpose_schedule<vector_dim = 2, vector_width = 8, tile_rows = 8, tile_lanes = 8, nontemporal = true> ins(%a = %x : tensor<8x8x2xbf16>) outs(%o = %e : tensor<8x8x2xbf16>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d1, d0, d2)>] : tensor<8x8x2xbf16> -> bf16
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : bf16, tensor<8x8x2xbf16>
  }
  return %0 : tensor<8x8x2xbf16>
}

// -----

// Attention has scores and results.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.attention_schedule; expected a kernel of class attention}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 4, key_lanes = 16, column_lanes = 16, softmax_lanes = 16> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Tasks with memory of their own are for sorts and routines.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.task_schedule; expected a sort or a routine}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.task_schedule<tasks = 4> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A schedule is for the module's target.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op has the schedule #tc.gpu_loop_schedule<vector_dim = 0, threads = 64> for cuda; expected one for cpu, the module's target}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_loop_schedule<vector_dim = 0, threads = 64> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Tile registers multiply bf16.
module attributes {tc.target = #tc.target<"cpu", chip = "sapphirerapids", features = "">} {
func.func @f(%q: tensor<40x32xf32>, %k: tensor<64x32xf32>) -> tensor<40x32xf32> {
  %e = tc.empty : tensor<40x32xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.attention_schedule with multiply_adds amx; expected vector, unless both contractions multiply bf16 along one dimension and the target has AMX-BF16}}
  %0 = tc.kernel "attention" attention dims [#tc.dim<"q", parallel, 40>, #tc.dim<"v", parallel, 32>, #tc.dim<"k", reduced, 64>, #tc.dim<"d", reduced, 32>] schedule #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 32, column_lanes = 32, softmax_lanes = 32> ins(%i = %q : tensor<40x32xf32>, %j = %k : tensor<64x32xf32>) outs(%o = %e : tensor<40x32xf32>) {
    %a = tc.read %i[affine_map<(q, v, k, d) -> (q, d)>] : tensor<40x32xf32> -> f32
    %b = tc.read %j[affine_map<(q, v, k, d) -> (k, d)>] : tensor<64x32xf32> -> f32
    %c = tc.contract_stage %a, %b over [3] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [2] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %w = tc.exp %n : f32
    %s = tc.reduce_stage sum %w over [2] : f32 -> f32
    %u = tc.read %j[affine_map<(q, v, k, d) -> (k, v)>] : tensor<64x32xf32> -> f32
    %x = tc.contract_stage %w, %u over [2] : f32, f32 -> f32
    %z = tc.div %x, %s : f32
    tc.write %z, %o[affine_map<(q, v, k, d) -> (q, v)>] : f32, tensor<40x32xf32>
  }
  return %0 : tensor<40x32xf32>
}
}

// -----

// Pairs of bf16 are multiplied where the target does.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v4", features = "">} {
func.func @f(%q: tensor<40x32xbf16>, %k: tensor<64x32xbf16>) -> tensor<40x32xbf16> {
  %e = tc.empty : tensor<40x32xbf16>
  // expected-error @+1 {{'tc.kernel' op has a #tc.attention_schedule with multiply_adds vector_bf16; expected vector, unless both contractions multiply bf16 along one dimension and the target has AVX512-BF16}}
  %0 = tc.kernel "attention" attention dims [#tc.dim<"q", parallel, 40>, #tc.dim<"v", parallel, 32>, #tc.dim<"k", reduced, 64>, #tc.dim<"d", reduced, 32>] schedule #tc.attention_schedule<multiply_adds = vector_bf16, rows = 8, key_lanes = 32, column_lanes = 32, softmax_lanes = 32> ins(%i = %q : tensor<40x32xbf16>, %j = %k : tensor<64x32xbf16>) outs(%o = %e : tensor<40x32xbf16>) {
    %a = tc.read %i[affine_map<(q, v, k, d) -> (q, d)>] : tensor<40x32xbf16> -> bf16
    %b = tc.read %j[affine_map<(q, v, k, d) -> (k, d)>] : tensor<64x32xbf16> -> bf16
    %c = tc.contract_stage %a, %b over [3] : bf16, bf16 -> f32
    %m = tc.reduce_stage max %c over [2] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %w = tc.exp %n : f32
    %s = tc.reduce_stage sum %w over [2] : f32 -> f32
    %u = tc.read %j[affine_map<(q, v, k, d) -> (k, v)>] : tensor<64x32xbf16> -> bf16
    %h = tc.cast %w : f32 to bf16
    %x = tc.contract_stage %h, %u over [2] : bf16, bf16 -> f32
    %y = tc.div %x, %s : f32
    %z = tc.cast %y : f32 to bf16
    tc.write %z, %o[affine_map<(q, v, k, d) -> (q, v)>] : bf16, tensor<40x32xbf16>
  }
  return %0 : tensor<40x32xbf16>
}
}

// -----

// Scores of all keys fit a thread's stack.
module attributes {tc.target = #tc.target<"cpu", chip = "sapphirerapids", features = "">} {
func.func @f(%q: tensor<40x16xf32>, %k: tensor<16000x16xf32>) -> tensor<40x16xf32> {
  %e = tc.empty : tensor<40x16xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.attention_schedule with rows 32, of which the scores of 16000 keys or the packed values are larger than a thread's stack; expected fewer rows or multiply_adds vector}}
  %0 = tc.kernel "attention" attention dims [#tc.dim<"q", parallel, 40>, #tc.dim<"v", parallel, 16>, #tc.dim<"k", reduced, 16000>, #tc.dim<"d", reduced, 16>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 32, key_lanes = 16, column_lanes = 16, softmax_lanes = 32> ins(%i = %q : tensor<40x16xf32>, %j = %k : tensor<16000x16xf32>) outs(%o = %e : tensor<40x16xf32>) {
    %a = tc.read %i[affine_map<(q, v, k, d) -> (q, d)>] : tensor<40x16xf32> -> f32
    %b = tc.read %j[affine_map<(q, v, k, d) -> (k, d)>] : tensor<16000x16xf32> -> f32
    %c = tc.contract_stage %a, %b over [3] : f32, f32 -> f32
    %m = tc.reduce_stage max %c over [2] : f32 -> f32
    %n = tc.sub %c, %m : f32
    %w = tc.exp %n : f32
    %s = tc.reduce_stage sum %w over [2] : f32 -> f32
    %u = tc.read %j[affine_map<(q, v, k, d) -> (k, v)>] : tensor<16000x16xf32> -> f32
    %x = tc.contract_stage %w, %u over [2] : f32, f32 -> f32
    %z = tc.div %x, %s : f32
    tc.write %z, %o[affine_map<(q, v, k, d) -> (q, v)>] : f32, tensor<40x16xf32>
  }
  return %0 : tensor<40x16xf32>
}
}

// -----

// Lanes would need the values before them.
func.func @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tc.empty : tensor<8x16xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.loop_schedule with vector_dim 1; expected -1, or a dimension along which nothing is scanned and no two points are written to one element}}
  %0 = tc.kernel "cumsum" scan dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 16>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8> ins(%a = %x : tensor<8x16xf32>) outs(%o = %e : tensor<8x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x16xf32> -> f32
    %s = tc.scan_stage sum %v along 1 : f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<8x16xf32>
  }
  return %0 : tensor<8x16xf32>
}
