// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize

#ij = affine_map<(d0, d1) -> (d0, d1)>

func.func @missing(%x: memref<8x10xf32>) attributes {tc.result_types = [tensor<8x10xf32>]} {
  %y = tc.output_buffer 0 : memref<8x10xf32>
  // expected-error @+2 {{'tc.kernel' op 'sort' has no workspace; expected one of at least 640 bytes, as its schedule needs}}
  // expected-note @+1 {{tc-assign-workspaces gives it one}}
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 2> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) {
    %v = tc.read %a[#ij] : memref<8x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[#ij] : f32, memref<8x10xf32>
  }
  return
}

// -----

#ij = affine_map<(d0, d1) -> (d0, d1)>

// More tasks than the memory is for.
func.func @small(%x: memref<8x10xf32>) attributes {tc.result_types = [tensor<8x10xf32>]} {
  %y = tc.output_buffer 0 : memref<8x10xf32>
  %arena = tc.arena <640> : memref<640xi8>
  %w = tc.arena_view %arena offset <0> : memref<640xi8> -> memref<640xi8>
  // expected-error @+2 {{'tc.kernel' op 'sort' has a workspace of type 'memref<640xi8>'; expected one of at least 1280 bytes, as its schedule needs}}
  // expected-note @+1 {{tc-assign-workspaces gives it one}}
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 4> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) workspace(%b = %w : memref<640xi8>) {
    %v = tc.read %a[#ij] : memref<8x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[#ij] : f32, memref<8x10xf32>
  }
  return
}

// -----

#i = affine_map<(d0) -> (d0)>

func.func @useless(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <64> : memref<64xi8>
  %w = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<64xi8>
  // expected-error @+1 {{'tc.kernel' op 'neg' has a workspace of type 'memref<64xi8>'; expected none, as its schedule needs none}}
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<16xf32>) outs(%o = %y : memref<16xf32>) workspace(%b = %w : memref<64xi8>) {
    %v = tc.read %a[#i] : memref<16xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<16xf32>
  }
  return
}

// -----

#ij = affine_map<(d0, d1) -> (d0, d1)>

// The workspaces of two kernels are not those of a buffer that is read later.
func.func @overlap(%x: memref<1x10xf32>) attributes {tc.result_types = [tensor<1x10xf32>]} {
  %y = tc.output_buffer 0 : memref<1x10xf32>
  %arena = tc.arena <320> : memref<320xi8>
  // expected-note @+1 {{the other view; tc-plan-memory should have kept them disjoint}}
  %t = tc.arena_view %arena offset <0> : memref<320xi8> -> memref<1x10xf32>
  // expected-error @+1 {{'tc.arena_view' op overlaps another view that is live together with it: bytes 0 to 320 and 0 to 40}}
  %w = tc.arena_view %arena offset <0> : memref<320xi8> -> memref<320xi8>
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 1>, #tc.dim<"j", parallel, 10>] ins(%a = %x : memref<1x10xf32>) outs(%o = %t : memref<1x10xf32>) {
    %v = tc.read %a[#ij] : memref<1x10xf32> -> f32
    tc.write %v, %o[#ij] : f32, memref<1x10xf32>
  }
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 1>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 4> ins(%a = %t : memref<1x10xf32>) outs(%o = %y : memref<1x10xf32>) workspace(%b = %w : memref<320xi8>) {
    %v = tc.read %a[#ij] : memref<1x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[#ij] : f32, memref<1x10xf32>
  }
  return
}
