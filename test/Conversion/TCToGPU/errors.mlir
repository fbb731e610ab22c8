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

// A block has whole warps, and its threads halve until one is left.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @neg(%x: memref<8xf32>) {
    %o = tc.output_buffer 0 : memref<8xf32>
    // expected-error @below {{'tc.kernel' op 'neg' has a schedule with threads 96; expected a power of two from 32 to 1024}}
    tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.schedule<vector_dim = 0, threads = 96> ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
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
