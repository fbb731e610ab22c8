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
// REMARK-NOT: Function=different_buffers
// CHECK-LABEL: func.func @different_buffers(
// CHECK-COUNT-4: tc.buffer
// CHECK-NOT: tc.buffer
func.func @different_buffers(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
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

// -----

// Attention writes a row's result over the row's queries.
// CHECK-LABEL: func.func @attention(
// CHECK: %[[Q:.*]] = tc.buffer : memref<10x24xf32>
// CHECK: %[[R:.*]] = tc.buffer_reshape %[[Q]] : memref<10x24xf32> -> memref<2x5x3x8xf32>
// CHECK-COUNT-1: tc.buffer :
// CHECK-NOT: tc.buffer :
// CHECK: tc.kernel "attention" {{.*}} ins(%{{.*}} = %[[Q]] : {{.*}}) outs(%{{.*}} = %[[R]] : memref<2x5x3x8xf32>)
func.func @attention(%x: memref<10x24xf32>, %y: memref<10x24xf32>) {
  %q = tc.buffer : memref<10x24xf32>
  %kv = tc.buffer : memref<10x24xf32>
  %r = tc.buffer : memref<2x5x3x8xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %q : memref<10x24xf32>) {}
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %kv : memref<10x24xf32>) {}
  tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 5, key_lanes = 16, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %q : memref<10x24xf32>, %j = %kv : memref<10x24xf32>, %k = %kv : memref<10x24xf32>) outs(%o = %r : memref<2x5x3x8xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d1, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
    %m = tc.reduce_stage max %s over [4] : f32 -> f32
    %t = tc.sub %s, %m : f32
    %w = tc.exp %t : f32
    %n = tc.reduce_stage sum %w over [4] : f32 -> f32
    %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
    %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
    %d = tc.div %u, %n : f32
    tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %r : memref<2x5x3x8xf32>) outs(%o = %y : memref<10x24xf32>) {}
  return
}

// -----

// Queries that are keys too, that are laid out by head, or that are read later.
// CHECK-LABEL: func.func @attention_different_buffers(
// CHECK-COUNT-6: tc.buffer :
func.func @attention_different_buffers(%x: memref<10x24xf32>, %y: memref<10x24xf32>) {
  %q = tc.buffer : memref<10x24xf32>
  %a = tc.buffer : memref<2x5x3x8xf32>
  %h = tc.buffer : memref<2x3x5x8xf32>
  %b = tc.buffer : memref<2x5x3x8xf32>
  %l = tc.buffer : memref<10x24xf32>
  %c = tc.buffer : memref<2x5x3x8xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %q : memref<10x24xf32>) {}
  tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 5, key_lanes = 16, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %q : memref<10x24xf32>, %j = %q : memref<10x24xf32>, %k = %x : memref<10x24xf32>) outs(%o = %a : memref<2x5x3x8xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d1, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
    %m = tc.reduce_stage max %s over [4] : f32 -> f32
    %t = tc.sub %s, %m : f32
    %w = tc.exp %t : f32
    %n = tc.reduce_stage sum %w over [4] : f32 -> f32
    %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
    %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
    %d = tc.div %u, %n : f32
    tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
  }
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %h : memref<2x3x5x8xf32>) {}
  tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 5, key_lanes = 16, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %h : memref<2x3x5x8xf32>, %j = %x : memref<10x24xf32>, %k = %x : memref<10x24xf32>) outs(%o = %b : memref<2x5x3x8xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>] : memref<2x3x5x8xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
    %m = tc.reduce_stage max %s over [4] : f32 -> f32
    %t = tc.sub %s, %m : f32
    %w = tc.exp %t : f32
    %n = tc.reduce_stage sum %w over [4] : f32 -> f32
    %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
    %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
    %d = tc.div %u, %n : f32
    tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
  }
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %l : memref<10x24xf32>) {}
  tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 5, key_lanes = 16, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %l : memref<10x24xf32>, %j = %x : memref<10x24xf32>, %k = %x : memref<10x24xf32>) outs(%o = %c : memref<2x5x3x8xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d1, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
    %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
    %m = tc.reduce_stage max %s over [4] : f32 -> f32
    %t = tc.sub %s, %m : f32
    %w = tc.exp %t : f32
    %n = tc.reduce_stage sum %w over [4] : f32 -> f32
    %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
    %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
    %d = tc.div %u, %n : f32
    tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %a : memref<2x5x3x8xf32>, %j = %b : memref<2x5x3x8xf32>, %k = %c : memref<2x5x3x8xf32>, %l2 = %l : memref<10x24xf32>) outs(%o = %y : memref<10x24xf32>) {}
  return
}

// -----

// A GPU's threads do not take the rows one after the other.
// CHECK-LABEL: func.func @attention_on_gpu(
// CHECK-COUNT-3: tc.buffer :
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @attention_on_gpu(%x: memref<10x24xf32>, %y: memref<10x24xf32>) {
    %q = tc.buffer : memref<10x24xf32>
    %kv = tc.buffer : memref<10x24xf32>
    %r = tc.buffer : memref<2x5x3x8xf32>
    tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %q : memref<10x24xf32>) {}
    tc.kernel "fill" custom dims [] ins(%i = %x : memref<10x24xf32>) outs(%o = %kv : memref<10x24xf32>) {}
    tc.kernel "attention" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"q", parallel, 5>, #tc.dim<"h", parallel, 3>, #tc.dim<"c", parallel, 8>, #tc.dim<"k", reduced, 5>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 5, key_lanes = 16, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %q : memref<10x24xf32>, %j = %kv : memref<10x24xf32>, %k = %kv : memref<10x24xf32>) outs(%o = %r : memref<2x5x3x8xf32>) {
      %e = tc.read %i[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d1, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
      %f = tc.read %j[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d5)>] : memref<10x24xf32> -> f32
      %s = tc.contract_stage %e, %f over [5] : f32, f32 -> f32
      %m = tc.reduce_stage max %s over [4] : f32 -> f32
      %t = tc.sub %s, %m : f32
      %w = tc.exp %t : f32
      %n = tc.reduce_stage sum %w over [4] : f32 -> f32
      %g = tc.read %k[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 * 5 + d4, d2 * 8 + d3)>] : memref<10x24xf32> -> f32
      %u = tc.contract_stage %w, %g over [4] : f32, f32 -> f32
      %d = tc.div %u, %n : f32
      tc.write %d, %o[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>] : f32, memref<2x5x3x8xf32>
    }
    tc.kernel "use" custom dims [] ins(%i = %r : memref<2x5x3x8xf32>) outs(%o = %y : memref<10x24xf32>) {}
    return
  }
}

// -----

// A small product writes a row over the row it is a product of.
// CHECK-LABEL: func.func @product(
// CHECK: %[[A:.*]] = tc.buffer : memref<26x32xf32>
// CHECK-NOT: tc.buffer :
// CHECK: tc.kernel "product" {{.*}} ins(%{{.*}} = %[[A]] : {{.*}}) outs(%{{.*}} = %[[A]] : memref<26x32xf32>)
func.func @product(%x: memref<26x32xf32>, %w: memref<32x32xf32>, %z: memref<26x32xf32>) {
  %a = tc.buffer : memref<26x32xf32>
  %b = tc.buffer : memref<26x32xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<26x32xf32>) outs(%o = %a : memref<26x32xf32>) {}
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 26>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 32>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 13, lanes = 32, reduced = 32, block_rows = 26, block_lanes = 32>> ins(%i = %a : memref<26x32xf32>, %j = %w : memref<32x32xf32>, %k = %z : memref<26x32xf32>) outs(%o = %b : memref<26x32xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<26x32xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<32x32xf32> -> f32
    %s = tc.contract_stage %e, %f over [2] : f32, f32 -> f32
    %r = tc.read %k[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<26x32xf32> -> f32
    %t = tc.add %s, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<26x32xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<26x32xf32>) outs(%o = %x : memref<26x32xf32>) {}
  return
}

// -----

// So does one of several panels of lanes that are one block: its rows are packed.
// CHECK-LABEL: func.func @product_of_panels(
// CHECK: %[[A:.*]] = tc.buffer : memref<26x32xf32>
// CHECK-NOT: tc.buffer :
// CHECK: tc.kernel "product" {{.*}} ins(%{{.*}} = %[[A]] : {{.*}}) outs(%{{.*}} = %[[A]] : memref<26x32xf32>)
func.func @product_of_panels(%x: memref<26x32xf32>, %w: memref<32x32xf32>, %z: memref<26x32xf32>) {
  %a = tc.buffer : memref<26x32xf32>
  %b = tc.buffer : memref<26x32xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<26x32xf32>) outs(%o = %a : memref<26x32xf32>) {}
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 26>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 32>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 13, lanes = 16, reduced = 32, block_rows = 26, block_lanes = 32>> ins(%i = %a : memref<26x32xf32>, %j = %w : memref<32x32xf32>, %k = %z : memref<26x32xf32>) outs(%o = %b : memref<26x32xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<26x32xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<32x32xf32> -> f32
    %s = tc.contract_stage %e, %f over [2] : f32, f32 -> f32
    %r = tc.read %k[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<26x32xf32> -> f32
    %t = tc.add %s, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<26x32xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %b : memref<26x32xf32>) outs(%o = %x : memref<26x32xf32>) {}
  return
}

// -----

// Rows that several blocks of lanes or of points read, and rows that are
// written to other ones.
// CHECK-LABEL: func.func @products_different_buffers(
// CHECK-COUNT-4: tc.buffer :
func.func @products_different_buffers(%x: memref<26x32xf32>, %w: memref<32x32xf32>, %z: memref<26x32xf32>) {
  %a = tc.buffer : memref<26x32xf32>
  %b = tc.buffer : memref<26x32xf32>
  %c = tc.buffer : memref<26x32xf32>
  %d = tc.buffer : memref<26x32xf32>
  tc.kernel "fill" custom dims [] ins(%i = %x : memref<26x32xf32>) outs(%o = %a : memref<26x32xf32>) {}
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 26>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 32>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 13, lanes = 16, reduced = 32, block_rows = 26, block_lanes = 16>> ins(%i = %a : memref<26x32xf32>, %j = %w : memref<32x32xf32>, %k = %z : memref<26x32xf32>) outs(%o = %b : memref<26x32xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<26x32xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<32x32xf32> -> f32
    %s = tc.contract_stage %e, %f over [2] : f32, f32 -> f32
    %r = tc.read %k[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<26x32xf32> -> f32
    %t = tc.add %s, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<26x32xf32>
  }
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 26>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 32>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 13, lanes = 32, reduced = 16, block_rows = 26, block_lanes = 32>> ins(%i = %b : memref<26x32xf32>, %j = %w : memref<32x32xf32>, %k = %z : memref<26x32xf32>) outs(%o = %c : memref<26x32xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<26x32xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<32x32xf32> -> f32
    %s = tc.contract_stage %e, %f over [2] : f32, f32 -> f32
    %r = tc.read %k[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<26x32xf32> -> f32
    %t = tc.add %s, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<26x32xf32>
  }
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 26>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 32>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 13, lanes = 32, reduced = 32, block_rows = 26, block_lanes = 32>> ins(%i = %c : memref<26x32xf32>, %j = %w : memref<32x32xf32>, %k = %z : memref<26x32xf32>) outs(%o = %d : memref<26x32xf32>) {
    %e = tc.read %i[affine_map<(d0, d1, d2) -> (25 - d0, d2)>] : memref<26x32xf32> -> f32
    %f = tc.read %j[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<32x32xf32> -> f32
    %s = tc.contract_stage %e, %f over [2] : f32, f32 -> f32
    %r = tc.read %k[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<26x32xf32> -> f32
    %t = tc.add %s, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<26x32xf32>
  }
  tc.kernel "use" custom dims [] ins(%i = %d : memref<26x32xf32>) outs(%o = %x : memref<26x32xf32>) {}
  return
}

// -----

// The next iteration reads %kept once more, so %made may not overlap it; what
// the iteration makes alone may.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[KEPT:.*]] = tc.buffer : memref<64xf32>
// CHECK: %[[MADE:.*]] = tc.buffer : memref<64xf32>
// CHECK-NOT: tc.buffer :
// CHECK: tc.kernel "neg" {{.*}} ins(%{{.*}} = %[[KEPT]] : memref<64xf32>) outs(%{{.*}} = %[[MADE]] : memref<64xf32>)
// CHECK: tc.kernel "exp" {{.*}} ins(%{{.*}} = %[[MADE]] : memref<64xf32>) outs(%{{.*}} = %[[MADE]] : memref<64xf32>)
func.func @loop(%x: memref<64xf32>, %c: memref<i1>, %y: memref<64xf32>) {
  %kept = tc.buffer : memref<64xf32>
  %made = tc.buffer : memref<64xf32>
  %more = tc.buffer : memref<64xf32>
  tc.kernel "before" custom dims [] ins(%i = %x : memref<64xf32>) outs(%o = %kept : memref<64xf32>) {}
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 64>] ins(%i = %kept : memref<64xf32>) outs(%o = %made : memref<64xf32>) {
      %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<64xf32> -> f32
      %w = tc.neg %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
    }
    tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 64>] ins(%i = %made : memref<64xf32>) outs(%o = %more : memref<64xf32>) {
      %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<64xf32> -> f32
      %w = tc.exp %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
    }
    tc.kernel "after" custom dims [] ins(%i = %more : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
  }
  return
}
