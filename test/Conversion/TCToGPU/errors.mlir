// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-gpu

// A kernel has a schedule, which says how it is computed.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @cumsum(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op 'cumsum' has no schedule, which says how many threads a block of a GPU has}}
    tc.kernel "cumsum" scan dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %s = tc.scan_stage sum %v along 0 : f32
      tc.write %s, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    }
    return
  }
}

// -----

// Two points may meet at one element: a block's threads do not share them.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @scatter(%x: memref<8xf32>, %i: memref<8xi64>) {
    %o = tc.output_buffer 0 : memref<4xf32>
    // expected-error @below {{'tc.kernel' op has a #tc.gpu_loop_schedule with vector_dim 0; expected -1, or a dimension along which nothing is scanned and no two points are written to one element}}
    tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_loop_schedule<vector_dim = 0, threads = 32> ins(%a = %x : memref<8xf32>, %n = %i : memref<8xi64>) outs(%b = %o : memref<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<8xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 combine sum : f32, memref<4xf32>
    }
    return
  }
}

// -----

// A schedule for a CPU says nothing of threads.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @neg(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op has the schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8> for cpu; expected one for cuda, the module's target}}
    tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8> ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %n = tc.neg %v : f32
      tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    }
    return
  }
}

// -----

// Chips that LLVM does not know, and those older than generated code suits, are refused.
// expected-error @below {{the target names chip 'sm_7', expected one that LLVM knows, for example sm_80, sm_90 or sm_90a}}
module attributes {tc.target = #tc.target<"cuda", chip = "sm_7", features = "">} {}

// -----

// expected-error @below {{the target names chip 'sm_70', expected sm_80 or a later one}}
module attributes {tc.target = #tc.target<"cuda", chip = "sm_70", features = "">} {}

// -----

// expected-error @below {{the target asks for ptx63, expected ptx80 or a later one for sm_90}}
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90", features = "+ptx63">} {
}

// -----

// expected-error @below {{the target asks for ptx86, expected ptx90 or a later one for sm_103}}
module attributes {tc.target = #tc.target<"cuda", chip = "sm_103", features = "+ptx86">} {
}

// -----

// A block's threads do not take the rows one after the other.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @attention(%q: memref<10x24xf32>, %kv: memref<10x24xf32>) {
    %r = tc.buffer_reshape %q : memref<10x24xf32> -> memref<2x5x3x8xf32>
    // expected-error @below {{'tc.kernel' op 'attention' has input 0 and output 0 in one buffer; expected two, as elements are read again after others are written}}
    tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] ins(%i = %q : memref<10x24xf32>, %j = %kv : memref<10x24xf32>, %k = %kv : memref<10x24xf32>) outs(%o = %r : memref<2x5x3x8xf32>) {
      %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d1, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
      %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
      %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
      %m = tc.reduce_stage max %s over [4] : f32 -> f32
      %t = tc.sub %s, %m : f32
      %w = tc.exp %t : f32
      %n = tc.reduce_stage sum %w over [4] : f32 -> f32
      %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
      %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
      %d = tc.div %u, %n : f32
      tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
    }
    return
  }
}

// -----

// The places of a product are not combined in one operation.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @multiply(%x: memref<8xf32>, %i: memref<8xi64>) {
    %o = tc.output_buffer 0 : memref<4xf32>
    // expected-error @below {{'tc.kernel' op has a #tc.gpu_scatter_schedule with atomic true; expected false where a write multiplies, combines elements of other types than f32, f64, i32 and i64, or is not alone in its buffer}}
    tc.kernel "multiply" scatter dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scatter_schedule<threads = 32, strips = 1, atomic = true> ins(%a = %x : memref<8xf32>, %n = %i : memref<8xi64>) outs(%b = %o : memref<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<8xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 combine prod : f32, memref<4xf32>
    }
    return
  }
}

// -----

// Segments are for one scan whose values are all that is written.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @both(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op has a #tc.gpu_scan_schedule with segments 2; expected 1 for a kernel that has several scans, folds, or writes that do not vary over all dimensions}}
    tc.kernel "both" scan dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scan_schedule<threads = 32, segments = 2> ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %s = tc.scan_stage sum %v along 0 : f32
      %t = tc.scan_stage max %s along 0 : f32
      tc.write %t, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    }
    return
  }
}

// -----

// Sorted rows go through workspace.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @sort(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op 'sort' has no workspace; expected one of 256 bytes (run tc-assign-workspaces first)}}
    tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_sort_schedule<threads = 32, tile = 8> ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %s, %i = tc.sort_stage %v along 0 : f32 -> f32, i64
      tc.write %s, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    }
    return
  }
}

// -----

// The copy engine stores products of 16 bits.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @product(%x: memref<128x64xbf16>, %w: memref<64x64xbf16>) {
    %o = tc.output_buffer 0 : memref<128x64xf32>
    // expected-error @below {{'tc.kernel' op 'contract' has a #tc.gpu_contraction_schedule, but the copy engine cannot store its results: expected one for each point, of bf16 or f16, contiguous along an even number of lanes, in rows multiples of 16 bytes apart}}
    tc.kernel "contract" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = 8, blocks = 132, group = 16, async_store = true> ins(%a = %x : memref<128x64xbf16>, %b = %w : memref<64x64xbf16>) outs(%c = %o : memref<128x64xf32>) {
      %1 = tc.read %a[#rows] : memref<128x64xbf16> -> bf16
      %2 = tc.read %b[#lanes] : memref<64x64xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [2] : bf16, bf16 -> f32
      tc.write %3, %c[#results] : f32, memref<128x64xf32>
    }
    return
  }
}

// -----

// Instructions for integers have fewer numbers of columns.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @integers(%x: memref<128x128xi8>, %w: memref<80x128xi8>) {
    %o = tc.output_buffer 0 : memref<128x80xi32>
    // expected-error @below {{'tc.kernel' op 'contract' has a #tc.gpu_contraction_schedule, but it multiplies integers: expected 8, 24 or a multiple of 16 lanes, not 40}}
    tc.kernel "contract" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 80>, #tc.dim<"k", reduced, 128>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 40, stages = 4, blocks = 132, group = 16> ins(%a = %x : memref<128x128xi8>, %b = %w : memref<80x128xi8>) outs(%c = %o : memref<128x80xi32>) {
      %1 = tc.read %a[#rows] : memref<128x128xi8> -> i8
      %2 = tc.read %b[#lanes] : memref<80x128xi8> -> i8
      %3 = tc.cast %1 : i8 to i32
      %4 = tc.cast %2 : i8 to i32
      %5 = tc.contract_stage %3, %4 over [2] : i32, i32 -> i32
      tc.write %5, %c[#results] : i32, memref<128x80xi32>
    }
    return
  }
}

// -----

// Two products have tiles of a block's own, of whole boxes of each.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @pair(%x: memref<128x64xbf16>, %w: memref<64x64xbf16>, %v: memref<64x64xbf16>) {
    %o = tc.output_buffer 0 : memref<128x64xbf16>
    // expected-error @below {{'tc.kernel' op 'contract' has a #tc.gpu_contraction_schedule, but it has two products: expected cluster = 1 and splits = 1}}
    tc.kernel "contract" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = 4, blocks = 132, group = 16, cluster = 2> ins(%a = %x : memref<128x64xbf16>, %b = %w : memref<64x64xbf16>, %d = %v : memref<64x64xbf16>) outs(%c = %o : memref<128x64xbf16>) {
      %1 = tc.read %a[#rows] : memref<128x64xbf16> -> bf16
      %2 = tc.read %b[#lanes] : memref<64x64xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [2] : bf16, bf16 -> f32
      %4 = tc.read %d[#lanes] : memref<64x64xbf16> -> bf16
      %5 = tc.contract_stage %1, %4 over [2] : bf16, bf16 -> f32
      %6 = tc.mul %3, %5 : f32
      %7 = tc.cast %6 : f32 to bf16
      tc.write %7, %c[#results] : bf16, memref<128x64xbf16>
    }
    return
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @pair_of_boxes(%x: memref<128x64xbf16>, %w: memref<64x64xbf16>, %v: memref<64x64xbf16>) {
    %o = tc.output_buffer 0 : memref<128x64xbf16>
    // expected-error @below {{'tc.kernel' op 'contract' has a #tc.gpu_contraction_schedule, but it has two products: expected a multiple of 64 lanes, not 96}}
    tc.kernel "contract" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 96, stages = 4, blocks = 132, group = 16, async_store = true> ins(%a = %x : memref<128x64xbf16>, %b = %w : memref<64x64xbf16>, %d = %v : memref<64x64xbf16>) outs(%c = %o : memref<128x64xbf16>) {
      %1 = tc.read %a[#rows] : memref<128x64xbf16> -> bf16
      %2 = tc.read %b[#lanes] : memref<64x64xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [2] : bf16, bf16 -> f32
      %4 = tc.read %d[#lanes] : memref<64x64xbf16> -> bf16
      %5 = tc.contract_stage %1, %4 over [2] : bf16, bf16 -> f32
      %6 = tc.mul %3, %5 : f32
      %7 = tc.cast %6 : f32 to bf16
      tc.write %7, %c[#results] : bf16, memref<128x64xbf16>
    }
    return
  }
}

// -----

// One instruction multiplies the lanes of both.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#lanes_across = affine_map<(d0, d1, d2) -> (d2, d1)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @pair_of_orders(%x: memref<128x64xbf16>, %w: memref<64x64xbf16>, %v: memref<64x64xbf16>) {
    %o = tc.output_buffer 0 : memref<128x64xbf16>
    // expected-error @below {{'tc.kernel' op 'contract' has a #tc.gpu_contraction_schedule, but its two products have lanes of different types, or in different orders of memory}}
    tc.kernel "contract" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 128, stages = 4, blocks = 132, group = 16> ins(%a = %x : memref<128x64xbf16>, %b = %w : memref<64x64xbf16>, %d = %v : memref<64x64xbf16>) outs(%c = %o : memref<128x64xbf16>) {
      %1 = tc.read %a[#rows] : memref<128x64xbf16> -> bf16
      %2 = tc.read %b[#lanes] : memref<64x64xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [2] : bf16, bf16 -> f32
      %4 = tc.read %d[#lanes_across] : memref<64x64xbf16> -> bf16
      %5 = tc.contract_stage %1, %4 over [2] : bf16, bf16 -> f32
      %6 = tc.mul %3, %5 : f32
      %7 = tc.cast %6 : f32 to bf16
      tc.write %7, %c[#results] : bf16, memref<128x64xbf16>
    }
    return
  }
}
