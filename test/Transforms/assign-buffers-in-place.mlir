// RUN: tc-opt %s --split-input-file --tc-assign-buffers-in-place | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-assign-buffers-in-place -o /dev/null --remarks-filter=tc-assign-buffers-in-place 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A chain of pointwise kernels lives in the caller's storage.
// REMARK: remark: [Passed] in place | Category:tc-assign-buffers-in-place | Function=chain | Outputs=2
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: memref<32xf32>
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<32xf32>
// CHECK-NOT: tc.buffer
// CHECK: tc.kernel "k1" {{.*}} ins(%{{.*}} = %[[X]] : memref<32xf32>) outs(%{{.*}} = %[[Y]] : memref<32xf32>)
// CHECK: tc.kernel "k2" {{.*}} ins(%{{.*}} = %[[Y]] : memref<32xf32>) outs(%{{.*}} = %[[Y]] : memref<32xf32>)
// CHECK: tc.kernel "k3" {{.*}} ins(%{{.*}} = %[[Y]] : memref<32xf32>) outs(%{{.*}} = %[[Y]] : memref<32xf32>)
func.func @chain(%x: memref<32xf32>) {
  %y = tc.output_buffer 0 : memref<32xf32>
  %a = tc.buffer : memref<32xf32>
  %b = tc.buffer : memref<32xf32>
  tc.kernel "k1" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %x : memref<32xf32>) outs(%o = %a : memref<32xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  tc.kernel "k2" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  tc.kernel "k3" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  return
}

// -----

// Elements read elsewhere than where the output is written, an input that is
// read again later, and another element type keep their own memory.
// REMARK-NOT: Function=apart
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-4: tc.buffer
// CHECK-NOT: tc.buffer
func.func @apart(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %a = tc.buffer : memref<8x8xf32>
  %b = tc.buffer : memref<8x8xf32>
  %c = tc.buffer : memref<8x8xf32>
  %d = tc.buffer : memref<8x8xi32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8x8xf32>) outs(%o = %a : memref<8x8xf32>) {}
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 8>] ins(%i = %a : memref<8x8xf32>) outs(%o = %b : memref<8x8xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d1, d0)>] : memref<8x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x8xf32>
  }
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 8>] ins(%i = %b : memref<8x8xf32>) outs(%o = %c : memref<8x8xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x8xf32>
  }
  tc.kernel "cast" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 8>] ins(%i = %c : memref<8x8xf32>) outs(%o = %d : memref<8x8xi32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x8xf32> -> f32
    %w = tc.cast %v : f32 to i32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : i32, memref<8x8xi32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8x8xf32>, %j = %d : memref<8x8xi32>) outs(%o = %y : memref<8x8xf32>) {}
  return
}

// -----

// A dimension that the write does not use reads the element again.
// CHECK-LABEL: func.func @repeated(
// CHECK-COUNT-2: tc.buffer
func.func @repeated(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8x4xf32>) {
  %a = tc.buffer : memref<8xf32>
  %b = tc.buffer : memref<8xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<8xf32>) outs(%o = %a : memref<8xf32>) {}
  tc.kernel "two" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 4>] ins(%i = %a : memref<8xf32>) outs(%o = %b : memref<8xf32>, %p = %z : memref<8x4xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0)>] : memref<8xf32> -> f32
    %w = tc.neg %v : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, memref<8xf32>
    tc.write %v, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x4xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<8xf32>) outs(%o = %y : memref<8xf32>) {}
  return
}

// -----

// A reduction reads elements again after others are written.
// CHECK-LABEL: func.func @reduction(
// CHECK-COUNT-2: tc.buffer
func.func @reduction(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
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

// -----

// Types that differ by a reshape alone: the view changes, not the memory.
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[A:.*]] = tc.buffer : memref<4x8xf32>
// CHECK-NOT: tc.buffer :
// CHECK: tc.kernel "fill" {{.*}} outs(%{{.*}} = %[[A]] : memref<4x8xf32>)
// CHECK: tc.kernel "use"
func.func @reshaped(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  %a = tc.buffer : memref<4x8xf32>
  %v = tc.buffer_reshape %a : memref<4x8xf32> -> memref<32xf32>
  %b = tc.buffer : memref<32xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<4x8xf32>) outs(%o = %a : memref<4x8xf32>) {}
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %v : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
    %e = tc.read %i[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
    tc.write %e, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<32xf32>) outs(%o = %y : memref<4x8xf32>) {}
  return
}
