// Contractions have a second tile for calls that write less than twice what a
// task takes of its stack with the first.
// RUN: tc-opt %s --split-input-file --tc-assign-schedules | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
// Registers of 512 bits. Calls of few points read the panel in place.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v4", features = "">} {
  // CHECK: "symbolic" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 26, lanes = 16, reduced = 64, block_rows = 26, block_lanes = 32>, few_below = 22465, few_tile = <rows = 4, lanes = 4, reduced = 40, block_rows = 8, block_lanes = 16, panel = points>, points_below = 8192, fetch_parts = 1> ins(
  func.func @symbolic(%x: tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %w: tensor<24x40xbf16>) -> tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %e = tc.empty : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    %0 = tc.kernel "symbolic" contraction dims [#tc.dim<"m", parallel, s0 * 13>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>) {
      %u = tc.read %a[#rows] : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    }
    return %0 : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
  }

  // The smallest size writes more than the first tile takes.
  // CHECK: "large" {{.*}} tile = <{{[a-z_0-9,= ]*}}>> ins(
  func.func @large(%x: tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, %w: tensor<24x40xbf16>) -> tensor<?x24xbf16, #tc.sizes<[s0, 24]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 600, max = 4096>]} {
    %e = tc.empty : tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
    %0 = tc.kernel "large" contraction dims [#tc.dim<"m", parallel, s0>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<?x24xbf16, #tc.sizes<[s0, 24]>>) {
      %u = tc.read %a[#rows] : tensor<?x40xbf16, #tc.sizes<[s0, 40]>> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
    }
    return %0 : tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
  }

  // 480 bytes are written, whatever is called.
  // CHECK: "tiny" {{.*}} few_below = 481, few_tile = <rows = 10, lanes = 8, reduced = 64, block_rows = 10, block_lanes = 8>> ins(
  func.func @tiny(%x: tensor<10x40xbf16>, %w: tensor<24x40xbf16>) -> tensor<10x24xbf16> {
    %e = tc.empty : tensor<10x24xbf16>
    %0 = tc.kernel "tiny" contraction dims [#tc.dim<"m", parallel, 10>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<10x40xbf16>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<10x24xbf16>) {
      %u = tc.read %a[#rows] : tensor<10x40xbf16> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<10x24xbf16>
    }
    return %0 : tensor<10x24xbf16>
  }

  // Of 624 bytes, 15 rows are summed up in memory, and nothing is packed.
  // CHECK: "fixed" {{.*}} tile = <rows = 5, lanes = 4, reduced = 40, block_rows = 15, block_lanes = 16, panel = points>, fetch_parts = 3> ins(
  func.func @fixed(%x: tensor<13x40xbf16>, %w: tensor<24x40xbf16>) -> tensor<13x24xbf16> {
    %e = tc.empty : tensor<13x24xbf16>
    %0 = tc.kernel "fixed" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<13x40xbf16>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<13x24xbf16>) {
      %u = tc.read %a[#rows] : tensor<13x40xbf16> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<13x24xbf16>
    }
    return %0 : tensor<13x24xbf16>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
// Registers of 256 bits.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
  // CHECK: "avx2" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 8, tile = <rows = 11, lanes = 8, reduced = 64, block_rows = 11, block_lanes = 8>, few_below = 6865, few_tile = <rows = 9, lanes = 4, reduced = 64, block_rows = 18, block_lanes = 4>, points_below = 8192> ins(
  func.func @avx2(%x: tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %w: tensor<24x40xbf16>) -> tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %e = tc.empty : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    %0 = tc.kernel "avx2" contraction dims [#tc.dim<"m", parallel, s0 * 13>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>) {
      %u = tc.read %a[#rows] : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    }
    return %0 : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
// Pairs of bf16 are multiplied as they are.
module attributes {tc.target = #tc.target<"cpu", chip = "znver4", features = "">} {
  // CHECK: "pairs" {{.*}} tile = <rows = 26, lanes = 16, reduced = 64, block_rows = 52, block_lanes = 32>, few_below = 6865, few_tile = <rows = 4, lanes = 4, reduced = 40, block_rows = 8, block_lanes = 16, panel = points>, points_below = 8192, fetch_parts = 1> ins(
  func.func @pairs(%x: tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %w: tensor<24x40xbf16>) -> tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %e = tc.empty : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    %0 = tc.kernel "pairs" contraction dims [#tc.dim<"m", parallel, s0 * 13>, #tc.dim<"n", parallel, 24>, #tc.dim<"k", reduced, 40>] ins(%a = %x : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %b = %w : tensor<24x40xbf16>) outs(%o = %e : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>) {
      %u = tc.read %a[#rows] : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>> -> bf16
      %v = tc.read %b[#panel] : tensor<24x40xbf16> -> bf16
      %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
      %r = tc.cast %s : f32 to bf16
      tc.write %r, %o[#out] : bf16, tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
    }
    return %0 : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
  }
}
