// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-vector

func.func @scanned(%x: memref<8x16xf32>) {
  %y = tc.output_buffer 0 : memref<8x16xf32>
  // expected-error @+1 {{'tc.kernel' op 'cumsum' has lanes along dimension 1, along which values are scanned or two points are written to one element; expected another vector_dim or none}}
  tc.kernel "cumsum" scan dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 16>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8> ins(%a = %x : memref<8x16xf32>) outs(%o = %y : memref<8x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x16xf32> -> f32
    %s = tc.scan_stage sum %v along 1 : f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x16xf32>
  }
  return
}
