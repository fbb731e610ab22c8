// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-vector

// Every row needs the largest element of all.
func.func @center(%x: memref<8x4xf32>) {
  // expected-error @below {{'tc.kernel' op 'center' has input 0 and output 0 in one buffer; expected two, as elements are read again after others are written}}
  tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %x : memref<8x4xf32>) outs(%o = %x : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [0, 1] : f32 -> f32
    %w = tc.sub %v, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  return
}

// -----

// Attention of a symbolic number of keys is computed point by point.
func.func @attention(%q: memref<5x8xf32>, %k: memref<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @below {{'tc.kernel' op 'attention' has input 0 and output 0 in one buffer}}
  tc.kernel "attention" attention dims [#tc.dim<"q", parallel, 5>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, s0>, #tc.dim<"d", reduced, 8>] ins(%i = %q : memref<5x8xf32>, %j = %k : memref<?x8xf32, #tc.sizes<[s0, 8]>>) outs(%o = %q : memref<5x8xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2, d3) -> (d0, d3)>] : memref<5x8xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2, d3) -> (d2, d3)>] : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> f32
    %s = tc.contract_stage %e, %f over [3] : f32, f32 -> f32
    %m = tc.reduce_stage max %s over [2] : f32 -> f32
    %t = tc.sub %s, %m : f32
    %w = tc.exp %t : f32
    %n = tc.reduce_stage sum %w over [2] : f32 -> f32
    %g = tc.read %j[affine_map<(d0, d1, d2, d3) -> (d2, d1)>] : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> f32
    %r = tc.contract_stage %w, %g over [2] : f32, f32 -> f32
    %d = tc.div %r, %n : f32
    tc.write %d, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, memref<5x8xf32>
  }
  return
}

// -----

// The write before has put another value there.
func.func @two(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8x4xf32>) {
  // expected-error @below {{'tc.kernel' op 'two' has input 1 and output 0 in one buffer; expected two, as elements are read again after others are written}}
  tc.kernel "two" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %x : memref<8x4xf32>, %j = %y : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>, %p = %z : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
    %w = tc.read %j[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    tc.write %w, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  return
}

// -----

// Lanes that are read in place are contiguous.
func.func @lanes(%x: memref<8x64xf32>, %w: memref<64x64xf32>) {
  %e = tc.output_buffer 0 : memref<8x64xf32>
  // expected-error @below {{'tc.kernel' op 'lanes' has the schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 32, reduced = 64, block_rows = 8, block_lanes = 64, panel = lanes>>, whose tiles the target cannot compute; expected accumulators in at most 32 vector registers, packed operands of at most 1048576 bytes, rows that share a panel, and lanes or points of the panel operand that are contiguous where tiles read them in place}}
  tc.kernel "lanes" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 32, reduced = 64, block_rows = 8, block_lanes = 64, panel = lanes>> ins(%a = %x : memref<8x64xf32>, %b = %w : memref<64x64xf32>) outs(%o = %e : memref<8x64xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<8x64xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<64x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<8x64xf32>
  }
  return
}
