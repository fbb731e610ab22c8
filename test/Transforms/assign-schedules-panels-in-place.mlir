// Tiles of few rows read the operand with the lanes in place where that takes less time than packing panels.
// RUN: tc-opt %s --split-input-file --tc-assign-schedules | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v4", features = "">, tc.cores = 2 : i64} {
  // Registers along the points: four rows by four lanes of them, and the next lanes fetched.
  // CHECK: "points" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 4, reduced = 256, block_rows = 8, block_lanes = 64, panel = points>, fetch_parts = 2> ins(
  func.func @points(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
    %e = tc.empty : tensor<8x256xf32>
    %0 = tc.kernel "points" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<8x256xf32>) {
      %u = tc.read %a[#rows] : tensor<8x256xf32> -> f32
      %v = tc.read %b[#nk] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }

  // Registers along the lanes, and later points fetched.
  // CHECK: "lanes" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 32, reduced = 256, block_rows = 8, block_lanes = 64, panel = lanes>, fetch_points = 16> ins(
  func.func @lanes(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
    %e = tc.empty : tensor<8x256xf32>
    %0 = tc.kernel "lanes" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<8x256xf32>) {
      %u = tc.read %a[#rows] : tensor<8x256xf32> -> f32
      %v = tc.read %b[#kn] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }

  // Many rows are worth a panel.
  // CHECK: "many" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 64, reduced = 128, block_rows = 128, block_lanes = 128>> ins(
  func.func @many(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    %0 = tc.kernel "many" contraction dims [#tc.dim<"m", parallel, 128>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<128x256xf32>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %u = tc.read %a[#rows] : tensor<128x256xf32> -> f32
      %v = tc.read %b[#nk] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }

  // Adding up the lanes of a register takes longer than packing few points.
  // CHECK: "short" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 32, reduced = 32, block_rows = 8, block_lanes = 128>> ins(
  func.func @short(%x: tensor<8x6xf32>, %w: tensor<256x6xf32>) -> tensor<8x256xf32> {
    %e = tc.empty : tensor<8x256xf32>
    %0 = tc.kernel "short" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 6>] ins(%a = %x : tensor<8x6xf32>, %b = %w : tensor<256x6xf32>) outs(%o = %e : tensor<8x256xf32>) {
      %u = tc.read %a[#rows] : tensor<8x6xf32> -> f32
      %v = tc.read %b[#nk] : tensor<256x6xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }

  // Of f64.
  // CHECK: "doubles" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 8, tile = <rows = 4, lanes = 4, reduced = 256, block_rows = 8, block_lanes = 64, panel = points>, fetch_parts = 2> ins(
  func.func @doubles(%x: tensor<8x256xf64>, %w: tensor<256x256xf64>) -> tensor<8x256xf64> {
    %e = tc.empty : tensor<8x256xf64>
    %0 = tc.kernel "doubles" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf64>, %b = %w : tensor<256x256xf64>) outs(%o = %e : tensor<8x256xf64>) {
      %u = tc.read %a[#rows] : tensor<8x256xf64> -> f64
      %v = tc.read %b[#nk] : tensor<256x256xf64> -> f64
      %s = tc.contract_stage %u, %v over [2] : f64, f64 -> f64
      tc.write %s, %o[#out] : f64, tensor<8x256xf64>
    }
    return %0 : tensor<8x256xf64>
  }

  // Halves are widened where they are multiplied.
  // CHECK: "halves" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 4, reduced = 256, block_rows = 8, block_lanes = 64, panel = points>, fetch_parts = 2> ins(
  func.func @halves(%x: tensor<8x256xf16>, %w: tensor<256x256xf16>) -> tensor<8x256xf16> {
    %e = tc.empty : tensor<8x256xf16>
    %0 = tc.kernel "halves" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf16>, %b = %w : tensor<256x256xf16>) outs(%o = %e : tensor<8x256xf16>) {
      %u = tc.read %a[#rows] : tensor<8x256xf16> -> f16
      %v = tc.read %b[#nk] : tensor<256x256xf16> -> f16
      %s = tc.contract_stage %u, %v over [2] : f16, f16 -> f32
      %r = tc.cast %s : f32 to f16
      tc.write %r, %o[#out] : f16, tensor<8x256xf16>
    }
    return %0 : tensor<8x256xf16>
  }

  // Calls of few rows have the tile of few points.
  // CHECK: "symbolic" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 16, lanes = 16, reduced = 32, block_rows = 16, block_lanes = 256>, few_below = 32769, few_tile = <rows = 4, lanes = 4, reduced = 256, block_rows = 8, block_lanes = 64, panel = points>, points_below = 8192, fetch_parts = 1> ins(
  func.func @symbolic(%x: tensor<?x256xf32, #tc.sizes<[s0, 256]>>, %w: tensor<256x256xf32>) -> tensor<?x256xf32, #tc.sizes<[s0, 256]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
    %e = tc.empty : tensor<?x256xf32, #tc.sizes<[s0, 256]>>
    %0 = tc.kernel "symbolic" contraction dims [#tc.dim<"m", parallel, s0>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<?x256xf32, #tc.sizes<[s0, 256]>>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<?x256xf32, #tc.sizes<[s0, 256]>>) {
      %u = tc.read %a[#rows] : tensor<?x256xf32, #tc.sizes<[s0, 256]>> -> f32
      %v = tc.read %b[#nk] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<?x256xf32, #tc.sizes<[s0, 256]>>
    }
    return %0 : tensor<?x256xf32, #tc.sizes<[s0, 256]>>
  }
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">, tc.cores = 2 : i64} {
  // With 16 registers.
  // CHECK: "points_of_8" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 8, tile = <rows = 4, lanes = 3, reduced = 256, block_rows = 8, block_lanes = 66, panel = points>, fetch_parts = 2> ins(
  func.func @points_of_8(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
    %e = tc.empty : tensor<8x256xf32>
    %0 = tc.kernel "points_of_8" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<8x256xf32>) {
      %u = tc.read %a[#rows] : tensor<8x256xf32> -> f32
      %v = tc.read %b[#nk] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }

  // Whole lines of memory at each point.
  // CHECK: "lanes_of_8" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 8, tile = <rows = 4, lanes = 24, reduced = 256, block_rows = 8, block_lanes = 72, panel = lanes>, fetch_points = 16> ins(
  func.func @lanes_of_8(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
    %e = tc.empty : tensor<8x256xf32>
    %0 = tc.kernel "lanes_of_8" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>) outs(%o = %e : tensor<8x256xf32>) {
      %u = tc.read %a[#rows] : tensor<8x256xf32> -> f32
      %v = tc.read %b[#kn] : tensor<256x256xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }
}
