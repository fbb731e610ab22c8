// RUN: tc-opt %s --tc-verify-bufferize | FileCheck %s

// Rows and columns of two phases each, in buffers that show both as one
// dimension: the digits of an index that a kernel does not vary say which of
// the four it writes.
// CHECK-LABEL: func.func @rows_and_columns_as_one
func.func @rows_and_columns_as_one() attributes {tc.result_types = [tensor<2x16xf32>]} {
  %y = tc.output_buffer 0 : memref<2x16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<2x16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2 * 2)>] : f32, memref<2x16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<2x16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2 * 2 + 5)>] : f32, memref<2x16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<2x16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2 * 2 + 1)>] : f32, memref<2x16xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 2>] outs(%o = %y : memref<2x16xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2 * 2 + 4)>] : f32, memref<2x16xf32>
  }
  return
}

// The digit above those that vary.
// CHECK-LABEL: func.func @halves
func.func @halves() attributes {tc.result_types = [tensor<12xf32>]} {
  %y = tc.output_buffer 0 : memref<12xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<12xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<12xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<12xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 + 6)>] : f32, memref<12xf32>
  }
  return
}
