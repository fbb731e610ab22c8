// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-vector

func.func @sort(%x: memref<8x10xf32>) {
  %y = tc.output_buffer 0 : memref<8x10xf32>
  // expected-error @+1 {{'tc.kernel' op 'sort' has no workspace; expected one of 640 bytes (run tc-assign-workspaces first)}}
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 2> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x10xf32>
  }
  return
}

// -----

func.func @for_gpu(%x: memref<8x10xf32>) {
  %y = tc.output_buffer 0 : memref<8x10xf32>
  // expected-error @+1 {{'tc.kernel' op 'sort' has the schedule #tc.gpu_sort_schedule<threads = 64, tile = 64>, which is not for a kernel of its form on a CPU}}
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.gpu_sort_schedule<threads = 64, tile = 64> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x10xf32>
  }
  return
}
