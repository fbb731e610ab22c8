// RUN: tc-opt %s --tc-assign-schedules --split-input-file --verify-diagnostics

// Tiles belong to contractions.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.contraction_schedule; expected a kernel of class contraction}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Lanes need a dimension.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{#tc.loop_schedule field vector_width is 8; expected at most 1}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_width = 8> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Code is in proportion to lanes and body.
func.func @f(%x: tensor<8xf64>) -> tensor<8xf64> {
  %e = tc.empty : tensor<8xf64>
  // expected-error @+1 {{'tc.kernel' op has a schedule with vector_width 32 and unroll 16 of 64-bit elements; expected at most 16384 bits together for a body of this length}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 32, unroll = 16> ins(%a = %x : tensor<8xf64>) outs(%o = %e : tensor<8xf64>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf64> -> f64
    %n = tc.neg %v : f64
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f64, tensor<8xf64>
  }
  return %0 : tensor<8xf64>
}

// -----

// Elements that lie apart are put into lanes one by one.
func.func @f(%x: tensor<8x5xi8>) -> tensor<8xi8> {
  %e = tc.empty : tensor<8xi8>
  // expected-error @+1 {{'tc.kernel' op has a schedule with vector_width 64 and unroll 8, 512 lanes; expected at most 128 along vector_dim 0, where elements that are read lie apart}}
  %0 = tc.kernel "sum" column_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 5>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64, unroll = 8> ins(%a = %x : tensor<8x5xi8>) outs(%o = %e : tensor<8xi8>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x5xi8> -> i8
    %n = tc.reduce_stage sum %v over [1] : i8 -> i8
    tc.write %n, %o[affine_map<(d0, d1) -> (d0)>] : i8, tensor<8xi8>
  }
  return %0 : tensor<8xi8>
}

// -----

// Lanes run along a dimension of the results.
func.func @f(%x: tensor<4x8xbf16>, %y: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  %e = tc.empty : tensor<4x16xf32>
  // expected-error @+1 {{'tc.kernel' op has a #tc.contraction_schedule with vector_dim 2; expected a dimension of the results of its only contraction, along which one operand varies and the other does not}}
  %0 = tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 4>, #tc.dim<"n", parallel, 16>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 2, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 4, block_lanes = 16>> ins(%a = %x : tensor<4x8xbf16>, %b = %y : tensor<8x16xbf16>) outs(%o = %e : tensor<4x16xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<4x8xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x16xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}
