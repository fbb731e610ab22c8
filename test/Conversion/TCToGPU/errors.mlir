// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-gpu

// What has no code on a GPU yet is refused by name, with what to do.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @cumsum(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op 'cumsum' of class scan has a scan, for which there is no code generator for cuda}}
    // expected-note @below {{generate code for a CPU instead (--target=cpu), or keep this op out of the module}}
    tc.kernel "cumsum" scan dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %s = tc.scan_stage sum %v along 0 : f32
      tc.write %s, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    }
    return
  }
}

// -----

// Two threads may meet in one place of a scatter.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @scatter(%x: memref<8xf32>, %i: memref<8xi64>) {
    %o = tc.output_buffer 0 : memref<4xf32>
    // expected-error @below {{'tc.kernel' op 'scatter' of class scatter has a write that combines with what is in place, for which there is no code generator for cuda}}
    // expected-note @below {{generate code for a CPU instead (--target=cpu), or keep this op out of the module}}
    tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : memref<8xf32>, %n = %i : memref<8xi64>) outs(%b = %o : memref<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<8xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 combine sum : f32, memref<4xf32>
    }
    return
  }
}

// -----

// A schedule says how many threads a block has.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @neg(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op 'neg' has no #tc.gpu_loop_schedule, which says how many threads a block has}}
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

// The host would have to read the condition from the GPU.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @branch(%c: memref<i1>) {
    // expected-error @below {{'tc.if' op depends on a value that a kernel makes, for which there is no code generator for cuda}}
    // expected-note @below {{generate code for a CPU instead (--target=cpu), or choose between the results with torch.where}}
    tc.if %c : memref<i1> {
      tc.yield
    } else {
      tc.yield
    }
    return
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @loop(%c: memref<i1>) {
    // expected-error @below {{'tc.while' op depends on a value that a kernel makes, for which there is no code generator for cuda}}
    // expected-note @below {{generate code for a CPU instead (--target=cpu), or unroll the loop}}
    tc.while {
      tc.yield %c : memref<i1>
    } do {
    }
    return
  }
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
