// RUN: tc-opt %s --split-input-file --tc-verify-bufferize --verify-diagnostics

// The argument is read after the output has been written over it.
func.func @read_later(%x: memref<8xf32>) attributes {tc.result_types = [tensor<8xf32>, tensor<8xf32>]} {
  // expected-error @+2 {{is output 0 over argument 0, which another op reads or writes later}}
  // expected-note @+1 {{tc-assign-buffers-in-place should have left it memory of its own}}
  %y = tc.output_buffer 0 over %x : memref<8xf32>
  %z = tc.output_buffer 1 : memref<8xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%i = %x : memref<8xf32>) outs(%o = %y : memref<8xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%i = %x : memref<8xf32>) outs(%o = %z : memref<8xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  return
}

// -----

func.func @twice(%x: memref<8xf32>, %w: memref<8xf32>) attributes {tc.result_types = [tensor<8xf32>, tensor<8xf32>]} {
  %y = tc.output_buffer 0 over %x : memref<8xf32>
  // expected-error @+2 {{is output 1 over argument 0, which another op reads or writes later}}
  // expected-note @+1 {{tc-assign-buffers-in-place should have left it memory of its own}}
  %z = tc.output_buffer 1 over %x : memref<8xf32>
  tc.kernel "copies" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%i = %w : memref<8xf32>) outs(%o = %y : memref<8xf32>, %p = %z : memref<8xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
    tc.write %v, %p[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  return
}

// -----

// The kernel reads elements after others have been written.
func.func @transposed(%x: memref<4x4xf32>) attributes {tc.result_types = [tensor<4x4xf32>]} {
  %y = tc.output_buffer 0 over %x : memref<4x4xf32>
  // expected-error @+1 {{'transpose' has input 0 and output 0 in one buffer; expected two}}
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %x : memref<4x4xf32>) outs(%o = %y : memref<4x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d1, d0)>] : memref<4x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
  }
  return
}

// -----

// Nothing is written over the argument: its elements are not those of the output.
func.func @unwritten(%x: memref<8xf32>) attributes {tc.result_types = [tensor<8xf32>]} {
  // expected-error @+1 {{is output 0 of type 'memref<8xf32>', of which no kernel certainly writes all elements}}
  %y = tc.output_buffer 0 over %x : memref<8xf32>
  return
}

// -----

func.func @computed(%x: memref<8xf32>) attributes {tc.result_types = [tensor<8xf32>]} {
  %s = tc.buffer_reshape %x : memref<8xf32> -> memref<8xf32>
  // expected-error @+1 {{is over a value that is computed; expected an argument of the function}}
  %y = tc.output_buffer 0 over %s : memref<8xf32>
  return
}

// -----

func.func @no_argument(%x: memref<8xf32>) attributes {tc.result_types = [tensor<8xf32>]} {
  // expected-error @+1 {{may overwrite argument 1; expected one of 1}}
  %y = tc.output_buffer 0 {may_overwrite = 1 : i64} : memref<8xf32>
  return
}
