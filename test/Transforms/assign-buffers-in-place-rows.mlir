// RUN: tc-opt %s --split-input-file --tc-assign-buffers-in-place | FileCheck %s

// A row is folded before any of it is written; so is a column. The caches hold
// the elements that are overwritten.
// CHECK-LABEL: func.func @reductions(
// CHECK: %[[A:.*]] = tc.buffer : memref<8x4xf32>
// CHECK-NOT: tc.buffer
// CHECK: tc.kernel "row" {{.*}} schedule #tc.loop_schedule<vector_dim = 1, vector_width = 4> ins(%{{.*}} = %[[A]] : memref<8x4xf32>) outs(%{{.*}} = %[[A]] : memref<8x4xf32>)
// CHECK: tc.kernel "column" {{.*}} ins(%{{.*}} = %[[A]] : memref<8x4xf32>) outs(%{{.*}} = %[[A]] : memref<8x4xf32>)
func.func @reductions(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  %c = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "row" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 4, nontemporal = true> ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %w = tc.sub %v, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "column" column_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %b : memref<8x4xf32>) outs(%o = %c : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [0] : f32 -> f32
    %w = tc.sub %v, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %c : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// A loop before that of the write reads elsewhere in the row, and a scan at the
// point itself.
// CHECK-LABEL: func.func @earlier(
// CHECK: %[[A:.*]] = tc.buffer : memref<8x4xf32>
// CHECK-NOT: tc.buffer
// CHECK: tc.kernel "earlier" {{.*}} outs(%{{.*}} = %{{.*}} : memref<8xf32>, %{{.*}} = %[[A]] : memref<8x4xf32>)
func.func @earlier(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "earlier" scan dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%p = %z : memref<8xf32>, %o = %b : memref<8x4xf32>) {
    %f = tc.read %i[affine_map<(d0, d1) -> (d0, 3)>] : memref<8x4xf32> -> f32
    tc.write %f, %p[affine_map<(d0, d1) -> (d0)>] : f32, memref<8xf32>
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %s = tc.scan_stage sum %v along 1 : f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// The operands of a later write are loaded before the first write is stored.
// CHECK-LABEL: func.func @loaded(
// CHECK-COUNT-1: tc.buffer
// CHECK-NOT: tc.buffer
func.func @loaded(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "loaded" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>, %p = %z : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %e = tc.exp %v : f32
    tc.write %e, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
    %n = tc.neg %v : f32
    tc.write %n, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// It is not when the first does not need it.
// CHECK-LABEL: func.func @not_loaded(
// CHECK-COUNT-2: tc.buffer
func.func @not_loaded(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "not_loaded" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>, %j = %x : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>, %p = %z : memref<8x4xf32>) {
    %u = tc.read %j[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    tc.write %u, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    tc.write %v, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// Every row needs all of the others.
// CHECK-LABEL: func.func @whole(
// CHECK-COUNT-2: tc.buffer
func.func @whole(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "whole" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [0, 1] : f32 -> f32
    %w = tc.sub %v, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// A row reads the next one.
// CHECK-LABEL: func.func @next_row(
// CHECK-COUNT-2: tc.buffer
func.func @next_row(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "next_row" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (7 - d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    tc.write %m, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// After the fold, other elements of the row are read while the row is written.
// CHECK-LABEL: func.func @reversed(
// CHECK-COUNT-2: tc.buffer
func.func @reversed(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "reversed" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %t = tc.read %i[affine_map<(d0, d1) -> (d0, 3 - d1)>] : memref<8x4xf32> -> f32
    %w = tc.sub %t, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// A fold inside of the loop of the write reads the row again.
// CHECK-LABEL: func.func @folded_inside(
// CHECK-COUNT-2: tc.buffer
func.func @folded_inside(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %w: memref<4x4xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "folded_inside" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", reduced, 4>] ins(%i = %a : memref<8x4xf32>, %j = %w : memref<4x4xf32>) outs(%o = %b : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<8x4xf32> -> f32
    %u = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<4x4xf32> -> f32
    %t = tc.add %u, %v : f32
    %m = tc.reduce_stage max %t over [2] : f32 -> f32
    %r = tc.reduce_stage max %m over [1] : f32 -> f32
    %d = tc.sub %m, %r : f32
    tc.write %d, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// A loop after that of the write reads the row again.
// CHECK-LABEL: func.func @later_loop(
// CHECK-COUNT-2: tc.buffer
func.func @later_loop(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8xf32>) {
  %a = tc.buffer : memref<8x4xf32>
  %b = tc.buffer : memref<8x4xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
  tc.kernel "later_loop" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>, %p = %z : memref<8xf32>, %q = %x : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %w = tc.sub %v, %m : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
    tc.write %m, %p[affine_map<(d0, d1) -> (d0)>] : f32, memref<8xf32>
    tc.write %v, %q[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
  return
}

// -----

// Threads of a GPU share a row: one may write while another still reads.
// CHECK-LABEL: func.func @reduction_on_gpu(
// CHECK-COUNT-2: tc.buffer
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @reduction_on_gpu(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
    %a = tc.buffer : memref<8x4xf32>
    %b = tc.buffer : memref<8x4xf32>
    tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x4xf32>) outs(%o = %a : memref<8x4xf32>) {}
    tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8x4xf32>) outs(%o = %b : memref<8x4xf32>) {
      %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x4xf32> -> f32
      %m = tc.reduce_stage max %v over [1] : f32 -> f32
      %w = tc.sub %v, %m : f32
      tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
    }
    tc.kernel "use" custom dims [] ins(%i = %b : memref<8x4xf32>) outs(%o = %y : memref<8x4xf32>) {}
    return
  }
}
