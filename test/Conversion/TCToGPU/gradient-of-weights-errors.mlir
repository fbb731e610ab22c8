// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-gpu

// The lanes of a gradient of filters are the channels under the points of a window, of which a box of a copy has those of
// one point.
#images = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1 + d5 - 1, d2 + d6 - 1, d3)>
#gradients = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d0)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#inside = affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d1 + d5 - 1 >= 0, -d1 - d5 + 8 >= 0, d2 + d6 - 1 >= 0, -d2 - d6 + 8 >= 0)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @tile(%x: memref<2x8x8x64xbf16>, %g: memref<2x8x8x96xbf16>) {
    %o = tc.output_buffer 0 : memref<96x3x3x64xbf16>
    // expected-error @below {{'tc.kernel' op 'gradient' has a #tc.gpu_contraction_schedule, but each 64 of its lanes are channels under a point of a window; expected a multiple of 64 lanes, not 96}}
    tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"c", parallel, 64>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>] schedule #tc.gpu_contraction_schedule<vector_dim = 3, rows = 64, lanes = 96, stages = 4, blocks = 132, group = 4> ins(%a = %x : memref<2x8x8x64xbf16>, %b = %g : memref<2x8x8x96xbf16>) outs(%c = %o : memref<96x3x3x64xbf16>) {
      %1 = tc.read %a[#images] within #inside : memref<2x8x8x64xbf16> -> bf16
      %2 = tc.read %b[#gradients] : memref<2x8x8x96xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [4, 5, 6] : bf16, bf16 -> f32
      %4 = tc.cast %3 : f32 to bf16
      tc.write %4, %c[#filters] : bf16, memref<96x3x3x64xbf16>
    }
    return
  }
}

// -----

// Each block of a cluster fetches whole boxes.
#images = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1 + d5 - 1, d2 + d6 - 1, d3)>
#gradients = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d0)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#inside = affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d1 + d5 - 1 >= 0, -d1 - d5 + 8 >= 0, d2 + d6 - 1 >= 0, -d2 - d6 + 8 >= 0)>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @cluster(%x: memref<2x8x8x64xbf16>, %g: memref<2x8x8x96xbf16>) {
    %o = tc.output_buffer 0 : memref<96x3x3x64xbf16>
    // expected-error @below {{'tc.kernel' op 'gradient' has a #tc.gpu_contraction_schedule, but each 64 of its lanes are channels under a point of a window; expected a multiple of 128 lanes, not 192}}
    tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"c", parallel, 64>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>] schedule #tc.gpu_contraction_schedule<vector_dim = 3, rows = 64, lanes = 192, stages = 4, blocks = 132, group = 4, cluster = 2> ins(%a = %x : memref<2x8x8x64xbf16>, %b = %g : memref<2x8x8x96xbf16>) outs(%c = %o : memref<96x3x3x64xbf16>) {
      %1 = tc.read %a[#images] within #inside : memref<2x8x8x64xbf16> -> bf16
      %2 = tc.read %b[#gradients] : memref<2x8x8x96xbf16> -> bf16
      %3 = tc.contract_stage %1, %2 over [4, 5, 6] : bf16, bf16 -> f32
      %4 = tc.cast %3 : f32 to bf16
      tc.write %4, %c[#filters] : bf16, memref<96x3x3x64xbf16>
    }
    return
  }
}
