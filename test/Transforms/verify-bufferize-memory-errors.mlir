// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize

// Inputs are the caller's.
func.func @argument(%x: memref<16xf32>) attributes {tc.result_types = []} {
  // expected-error @+1 {{'tc.kernel' op 'k' writes output 0 to what is no memory of the call: an argument of the function; expected a tc.arena_view or a tc.output_buffer}}
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %x : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

memref.global "private" constant @c : memref<16xf32> = dense<1.0>
func.func @constant() attributes {tc.result_types = []} {
  %x = memref.get_global @c : memref<16xf32>
  // expected-error @+1 {{'tc.kernel' op 'k' writes output 0 to what is no memory of the call: the result of memref.get_global; expected a tc.arena_view or a tc.output_buffer}}
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %x : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

func.func @unwritten() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  return
}

// -----

// Every other element alone.
func.func @gaps() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 8>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<16xf32>
  }
  return
}

// -----

// The diagonal alone.
func.func @diagonal() attributes {tc.result_types = [tensor<4x4xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<4x4xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<4x4xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %y : memref<4x4xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0, d0)>] : f32, memref<4x4xf32>
  }
  return
}

// -----

// The last elements are left out by the set.
func.func @set() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] within affine_set<(d0) : (14 - d0 >= 0)> : f32, memref<16xf32>
  }
  return
}

// -----

func.func @one_branch(%c: memref<i1>) attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.if %c : memref<i1> {
    tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %y : memref<16xf32>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
  } else {
  }
  return
}

// -----

func.func @read_before(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <64> : memref<64xi8>
  // expected-note @+1 {{the buffer is here}}
  %a = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<16xf32>
  // expected-error @+1 {{'tc.kernel' op reads input 0, a buffer of type 'memref<16xf32>', before a kernel has certainly written all its elements}}
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%i = %a : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// Nothing in a branch is part of the plan.
func.func @branch(%c: memref<i1>) attributes {tc.result_types = []} {
  %arena = tc.arena <64> : memref<64xi8>
  tc.if %c : memref<i1> {
    // expected-error @+2 {{'tc.arena_view' op is in a branch of tc.if; expected it before, where the memory plan sees it}}
    // expected-note @+1 {{tc-bufferize-kernels puts buffers there}}
    %a = tc.arena_view %arena offset <1048576> : memref<64xi8> -> memref<16xf32>
  } else {
  }
  return
}

// -----

func.func @arenas() attributes {tc.result_types = []} {
  %a = tc.arena <64> : memref<64xi8>
  // expected-error @+1 {{'tc.arena' op is a second arena of the function; expected at most one, and one after each tc.size_from}}
  %b = tc.arena <64> : memref<64xi8>
  return
}

// -----

// More elements, for one value of the symbol.
func.func @reshape(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.result_types = [], tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @+1 {{'tc.buffer_reshape' op shows ((s0 + 3) floordiv 4) * 16 bytes of a buffer of s0 * 4, which are not proved to be at least as many by tc.symbols and the guards}}
  %y = tc.buffer_reshape %x : memref<?xf32, #tc.sizes<[s0]>> -> memref<?x4xf32, #tc.sizes<[(s0 + 3) floordiv 4, 4]>>
  return
}

// -----

// Inside at the smallest, the middle and the largest value, but not between.
func.func @between(%x: memref<16xf32>) attributes {tc.result_types = [], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %arena = tc.arena <128> : memref<?xi8>
  // expected-error @+1 {{'tc.arena_view' op is at bytes (s0 mod 4) * 64 to (s0 mod 4) * 64 + 64 of an arena of 128, which is not proved to be a multiple of 64 inside for all sizes that tc.symbols allows}}
  %a = tc.arena_view %arena offset <(s0 mod 4) * 64> : memref<?xi8> -> memref<16xf32>
  return
}

// -----

// The next iteration reads %kept where this one wrote %made.
func.func @overlap_through_a_loop(%x: memref<16xf32>, %c: memref<i1>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <64> : memref<64xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %kept = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<16xf32>
  // expected-error @+1 {{'tc.arena_view' op overlaps another view that is live together with it: bytes 0 to 64 and 0 to 64}}
  %made = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<16xf32>
  tc.kernel "before" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<16xf32>) outs(%o = %kept : memref<16xf32>, %p = %y : memref<16xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    tc.write %v, %p[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    tc.kernel "first" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %kept : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
    tc.kernel "second" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %y : memref<16xf32>) outs(%o = %made : memref<16xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
  }
  return
}

// -----

// A body may run not at all, so it does not make a result.
func.func @written_in_a_body(%c: memref<i1>) attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %y : memref<16xf32>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
  }
  return
}

// -----

// In the first iteration nothing has written what the last one leaves.
func.func @read_before_the_loop(%c: memref<i1>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <64> : memref<64xi8>
  // expected-note @+1 {{the buffer is here}}
  %carried = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<16xf32>
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    // expected-error @+1 {{'tc.kernel' op reads input 0, a buffer of type 'memref<16xf32>', before a kernel has certainly written all its elements}}
    tc.kernel "read" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %carried : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
    tc.kernel "write" pointwise dims [#tc.dim<"i", parallel, 16>] outs(%o = %carried : memref<16xf32>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    }
  }
  return
}

// -----

func.func @condition() attributes {tc.result_types = []} {
  %arena = tc.arena <64> : memref<64xi8>
  // expected-note @+1 {{the buffer is here}}
  %more = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<i1>
  // expected-error @+1 {{'tc.while' op reads its condition, a buffer of type 'memref<i1>', before a kernel has certainly written all its elements}}
  tc.while {
    tc.yield %more : memref<i1>
  } do {
  }
  return
}

// -----

func.func @region(%c: memref<i1>) attributes {tc.result_types = []} {
  %arena = tc.arena <64> : memref<64xi8>
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    // expected-error @+2 {{'tc.arena_view' op is in a region of tc.while; expected it before, where the memory plan sees it}}
    // expected-note @+1 {{tc-bufferize-kernels puts buffers there}}
    %a = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<16xf32>
  }
  return
}

// -----

// Disjoint at the smallest, the middle and the largest value, but not between.
func.func @overlap_between(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <256> : memref<256xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %a = tc.arena_view %arena offset <192> : memref<256xi8> -> memref<16xf32>
  // expected-error @+1 {{'tc.arena_view' op is not proved disjoint from another view that is live together with it, for all sizes that tc.symbols allows: bytes (s0 mod 4) * 64 to (s0 mod 4) * 64 + 64 and 192 to 256}}
  %b = tc.arena_view %arena offset <(s0 mod 4) * 64> : memref<256xi8> -> memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%p = %x : memref<16xf32>) outs(%q = %a : memref<16xf32>, %r = %b : memref<16xf32>, %s = %y : memref<16xf32>) {
    %v = tc.read %p[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %q[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    tc.write %v, %r[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
    tc.write %v, %s[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// Two phases of three.
func.func @phase_missing() attributes {tc.result_types = [tensor<11xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<11xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<11xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 3)>] : f32, memref<11xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 3 + 1)>] : f32, memref<11xf32>
  }
  return
}

// -----

// One phase of two, twice.
func.func @phase_twice() attributes {tc.result_types = [tensor<11xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<11xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<11xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<11xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<11xf32>
  }
  return
}

// -----

// The last element of a phase is missing.
func.func @phase_short() attributes {tc.result_types = [tensor<11xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<11xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<11xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 5>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<11xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 5>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2 + 1)>] : f32, memref<11xf32>
  }
  return
}

// -----

// Phases of different strides.
func.func @phases_of_other_strides() attributes {tc.result_types = [tensor<11xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<11xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<11xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<11xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 3 + 1)>] : f32, memref<11xf32>
  }
  return
}

// -----

// A phase of one index has any stride with which it has no other: all phases of two in both dimensions.
func.func @phases_of_one_index() attributes {tc.result_types = [tensor<3x3xf32>]} {
  %y = tc.output_buffer 0 : memref<3x3xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>] outs(%o = %y : memref<3x3xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (1, d0 * 2)>] : f32, memref<3x3xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>] outs(%o = %y : memref<3x3xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 2, d1 * 2)>] : f32, memref<3x3xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>] outs(%o = %y : memref<3x3xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2, 1)>] : f32, memref<3x3xf32>
  }
  tc.kernel "k" pointwise dims [] outs(%o = %y : memref<3x3xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<() -> (1, 1)>] : f32, memref<3x3xf32>
  }
  return
}

// -----

// With a stride of two, the other phase has the last index as well.
func.func @index_missing() attributes {tc.result_types = [tensor<4xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<4xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<4xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>] outs(%o = %y : memref<4xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<4xf32>
  }
  tc.kernel "k" pointwise dims [] outs(%o = %y : memref<4xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<() -> (1)>] : f32, memref<4xf32>
  }
  return
}
