// RUN: tc-opt %s --split-input-file --tc-assign-buffers-in-place | FileCheck %s

// The new value of an argument is computed in its memory, also where a later kernel reads the result.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[P:.*]]: memref<32xf32>, %[[G:.*]]: memref<32xf32>
// CHECK: %[[NEW:.*]] = tc.output_buffer 0 over %[[P]] : memref<32xf32>
// CHECK: %[[COPY:.*]] = tc.output_buffer 1 : memref<32xf32>
// CHECK: tc.kernel "update" {{.*}} vector_width = 8> ins(%{{.*}} = %[[P]] : memref<32xf32>, %{{.*}} = %[[G]] : memref<32xf32>) outs(%{{.*}} = %[[NEW]] : memref<32xf32>)
// CHECK: tc.kernel "use" {{.*}} ins(%{{.*}} = %[[NEW]] : memref<32xf32>) outs(%{{.*}} = %[[COPY]] : memref<32xf32>)
func.func @step(%p: memref<32xf32>, %g: memref<32xf32>) {
  %y = tc.output_buffer 0 {may_overwrite = 0 : i64} : memref<32xf32>
  %z = tc.output_buffer 1 : memref<32xf32>
  tc.kernel "update" pointwise dims [#tc.dim<"i", parallel, 32>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, nontemporal = true> ins(%i = %p : memref<32xf32>, %j = %g : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
    %a = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    %b = tc.read %j[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    %v = tc.add %a, %b : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  tc.kernel "use" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %y : memref<32xf32>) outs(%o = %z : memref<32xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  return
}

// -----

// The first kernel of the output comes after the only one that reads the argument.
// CHECK-LABEL: func.func @later(
// CHECK: tc.output_buffer 0 over %arg0 : memref<4x8xf32>
func.func @later(%x: memref<4x8xf32>) {
  %y = tc.output_buffer 0 {may_overwrite = 0 : i64} : memref<4x8xf32>
  %m = tc.buffer : memref<8x4xf32>
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %x : memref<4x8xf32>) outs(%o = %m : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d1, d0)>] : memref<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "back" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%i = %m : memref<8x4xf32>) outs(%o = %y : memref<4x8xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d1, d0)>] : memref<8x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x8xf32>
  }
  return
}

// -----

// Elements that are read where others are written, and an argument that is read later.
// CHECK-LABEL: func.func @kept(
// CHECK: tc.output_buffer 0 : memref<4x4xf32>
// CHECK: tc.output_buffer 1 : memref<4x4xf32>
// CHECK-NOT: may_overwrite
func.func @kept(%x: memref<4x4xf32>, %w: memref<4x4xf32>) {
  %y = tc.output_buffer 0 {may_overwrite = 0 : i64} : memref<4x4xf32>
  %z = tc.output_buffer 1 {may_overwrite = 1 : i64} : memref<4x4xf32>
  %u = tc.output_buffer 2 : memref<4x4xf32>
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %x : memref<4x4xf32>) outs(%o = %y : memref<4x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d1, d0)>] : memref<4x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
  }
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %w : memref<4x4xf32>) outs(%o = %z : memref<4x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
  }
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %w : memref<4x4xf32>) outs(%o = %u : memref<4x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
  }
  return
}

// -----

// An argument that is read by its strides, one that its storage shows, and one that another result has.
// CHECK-LABEL: func.func @strided(
// CHECK: tc.output_buffer 0 : memref<4x4xf32>
// CHECK: tc.output_buffer 1 over %arg1 : memref<4x4xf32>
// CHECK: tc.output_buffer 2 : memref<4x4xf32>
func.func @strided(%x: memref<4x4xf32> {tc.strides = [#tc.expr<1>, #tc.expr<4>]}, %w: memref<4x4xf32>) {
  %y = tc.output_buffer 0 {may_overwrite = 0 : i64} : memref<4x4xf32>
  %z = tc.output_buffer 1 {may_overwrite = 1 : i64} : memref<4x4xf32>
  %u = tc.output_buffer 2 {may_overwrite = 1 : i64} : memref<4x4xf32>
  tc.kernel "copies" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %w : memref<4x4xf32>) outs(%o = %y : memref<4x4xf32>, %p = %z : memref<4x4xf32>, %q = %u : memref<4x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
    tc.write %v, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
    tc.write %v, %q[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x4xf32>
  }
  return
}
