// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize

// Three of four.
func.func @rows_and_columns_as_one() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1 * 2)>] : f32, memref<16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1 * 2 + 5)>] : f32, memref<16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1 * 2 + 1)>] : f32, memref<16xf32>
  }
  return
}

// -----

// A first index that is no phase: 2 is a digit that varies.
func.func @moved() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 4>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1)>] : f32, memref<16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 4>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1 + 2)>] : f32, memref<16xf32>
  }
  return
}

// -----

// As many phases, of other digits.
func.func @other_digits() attributes {tc.result_types = [tensor<16xf32>]} {
  // expected-error @+1 {{'tc.output_buffer' op is output 0 of type 'memref<16xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 4>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 8 + d1)>] : f32, memref<16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"j", parallel, 4>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 * 4 + d1 + 2)>] : f32, memref<16xf32>
  }
  return
}
