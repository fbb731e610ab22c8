// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize

func.func @unplaced(%x: memref<4xf32>) attributes {tc.result_types = []} {
  // expected-error @+2 {{'tc.buffer' op has no place in the arena}}
  // expected-note @+1 {{tc-plan-memory should have given it one}}
  %b = tc.buffer : memref<4xf32>
  return
}

// -----

func.func @tensor() attributes {tc.result_types = []} {
  // expected-error @+2 {{'tc.empty' op uses a value of type 'tensor<4xf32>' after phase bufferize}}
  // expected-note @+1 {{tc-bufferize-kernels should have put it on a buffer}}
  %b = tc.empty : tensor<4xf32>
  return
}

// -----

func.func @foreign(%x: memref<4xf32>) attributes {tc.result_types = []} {
  // expected-error @+2 {{'memref.copy' op has no form on buffers}}
  // expected-note @+1 {{phase fuse should have made it a tc.kernel}}
  memref.copy %x, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// expected-error @+2 {{function @results has 0 results and no tc.result_types; expected no results and tc.result_types}}
// expected-note @+1 {{tc-bufferize-kernels should have made the results output buffers}}
func.func @results(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{function @missing has no tc.output_buffer 1 for its result of type 'tensor<8xf32>'}}
func.func @missing() attributes {tc.result_types = [tensor<4xf32>, tensor<8xf32>]} {
  %y = tc.output_buffer 0 : memref<4xf32>
  return
}

// -----

func.func @repeated() attributes {tc.result_types = [tensor<4xf32>]} {
  %y = tc.output_buffer 0 : memref<4xf32>
  // expected-error @+1 {{'tc.output_buffer' op is output 0 once more, of 1 outputs}}
  %z = tc.output_buffer 0 : memref<4xf32>
  return
}

// -----

func.func @extra() attributes {tc.result_types = [tensor<4xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 1, but the function has 1 outputs}}
  %z = tc.output_buffer 1 : memref<4xf32>
  return
}

// -----

// A kernel's input and output are live together.
func.func @overlap(%x: memref<16xf32>) attributes {tc.result_types = []} {
  %arena = tc.arena <128> : memref<128xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %a = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<32xf32>
  // expected-error @+1 {{'tc.arena_view' op overlaps another view that is live together with it: bytes 64 to 128 and 0 to 128}}
  %b = tc.arena_view %arena offset <64> : memref<128xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<32xf32>) {}
  tc.kernel "k2" pointwise dims [] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<16xf32>) {}
  return
}

// -----

// Sizes overlap at the largest value of the symbol alone.
func.func @symbolic(%x: memref<16xf32>) attributes {tc.result_types = [], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %arena = tc.arena <s0 * 64 + 1024> : memref<?xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %a = tc.arena_view %arena offset <0> : memref<?xi8> -> memref<?x16xf32, #tc.sizes<[s0, 16]>>
  // expected-error @+1 {{'tc.arena_view' op overlaps another view that is live together with it: bytes 1024 to 1088 and 0 to 4096 with s0 = 64}}
  %b = tc.arena_view %arena offset <1024> : memref<?xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<?x16xf32, #tc.sizes<[s0, 16]>>) {}
  tc.kernel "k2" pointwise dims [] ins(%i = %a : memref<?x16xf32, #tc.sizes<[s0, 16]>>) outs(%o = %b : memref<16xf32>) {}
  return
}

// -----

func.func @unaligned() attributes {tc.result_types = []} {
  %arena = tc.arena <128> : memref<128xi8>
  // expected-error @+1 {{'tc.arena_view' op is at bytes 32 to 96 of an arena of 128; expected a multiple of 64 inside}}
  %a = tc.arena_view %arena offset <32> : memref<128xi8> -> memref<16xf32>
  return
}

// -----

func.func @unbound() attributes {tc.result_types = []} {
  %arena = tc.arena <s0> : memref<?xi8>
  // expected-error @+1 {{'tc.arena_view' op has a place that tc.symbols does not give}}
  %a = tc.arena_view %arena offset <0> : memref<?xi8> -> memref<16xf32>
  return
}

// -----

func.func @other_sizes(%x: memref<4xf32>) attributes {tc.result_types = [tensor<4xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is a buffer of type 'memref<8xf32>' for the result 0 of type 'tensor<4xf32>'}}
  %0 = tc.output_buffer 0 : memref<8xf32>
  return
}

// -----

func.func @in_place(%x: memref<8x4xf32>) attributes {tc.result_types = [tensor<8x4xf32>]} {
  %y = tc.output_buffer 0 : memref<8x4xf32>
  // expected-error @+1 {{'tc.kernel' op 'reverse' has input 0 and output 0 in one buffer; expected two, as elements are read again after others are written}}
  tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %y : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (7 - d0, d1)>] : memref<8x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  return
}

// -----

// A row is written while its last element is still needed.
func.func @row_in_place(%x: memref<8x4xf32>) attributes {tc.result_types = [tensor<8x4xf32>]} {
  %y = tc.output_buffer 0 : memref<8x4xf32>
  // expected-error @+1 {{'tc.kernel' op 'row' has input 0 and output 0 in one buffer; expected two, as elements are read again after others are written}}
  tc.kernel "row" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %y : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %l = tc.read %i[affine_map<(d0, d1) -> (d0, 3)>] : memref<8x4xf32> -> f32
    %s = tc.sub %v, %m : f32
    %w = tc.mul %s, %l : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  return
}

// -----

// An intermediate in a result's memory is read when the result is written.
func.func @hosted(%x: memref<16xf32>) attributes {tc.result_types = [tensor<32xf32>]} {
  // expected-note @+1 {{the result; tc-assign-buffers-to-results should have kept them disjoint}}
  %y = tc.output_buffer 0 : memref<32xf32>
  %bytes = tc.buffer_reshape %y : memref<32xf32> -> memref<128xi8>
  // expected-error @+1 {{'tc.arena_view' op is still read when the result it is allocated in is written}}
  %a = tc.arena_view %bytes offset <64> : memref<128xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<16xf32>) {}
  tc.kernel "k2" pointwise dims [] ins(%i = %a : memref<16xf32>) outs(%o = %y : memref<32xf32>) {}
  return
}

// -----

func.func @hosted_together(%x: memref<16xf32>) attributes {tc.result_types = [tensor<32xf32>]} {
  %y = tc.output_buffer 0 : memref<32xf32>
  %bytes = tc.buffer_reshape %y : memref<32xf32> -> memref<128xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %a = tc.arena_view %bytes offset <0> : memref<128xi8> -> memref<32xf32>
  // expected-error @+1 {{'tc.arena_view' op overlaps another view that is live together with it: bytes 64 to 128 and 0 to 128}}
  %b = tc.arena_view %bytes offset <64> : memref<128xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<32xf32>) {}
  tc.kernel "k2" pointwise dims [] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<16xf32>) {}
  return
}

// -----

func.func @hosted_outside(%x: memref<16xf32>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 16, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  %bytes = tc.buffer_reshape %y : memref<?xf32, #tc.sizes<[s0]>> -> memref<?xi8, #tc.sizes<[s0 * 4]>>
  // expected-error @+1 {{'tc.arena_view' op is at bytes 64 to 128 of a result of 64 with s0 = 16; expected a multiple of 64 inside}}
  %a = tc.arena_view %bytes offset <64> : memref<?xi8, #tc.sizes<[s0 * 4]>> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<16xf32>) {}
  return
}
