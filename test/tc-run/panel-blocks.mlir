// Panels of several blocks, which a tile of rows in place multiplies one after the other: all blocks, or some with a last panel of fewer;
// of a symbolic number of points; of windows, of which a block has a few channels; of fewer rows than a tile; of pairs of bf16.
// RUN: tc-run %s --compile-to=generate --target=cpu:x86-64-v4 | FileCheck %s
// RUN: tc-run %s --function=whole --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=whole --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=parts --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=parts --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=more --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=more --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=few_rows --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=few_rows --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=doubles --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=doubles --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=pairs --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=pairs --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=0 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=0 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=31 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=31 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=32 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=32 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=96 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=96 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=97 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=97 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=500 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=500 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=windows --random-inputs=1 --check --benchmark_min_time=0.01 --threads=1
// RUN: tc-run %s --function=windows --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 + d4 - 1, d2 + d5 - 1)>
#weight = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d5)>
#result = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#within = affine_set<(d0, d1, d2, d3, d4, d5) : (d1 + d4 - 1 >= 0, -d1 - d4 + 9 >= 0, d2 + d5 - 1 >= 0, -d2 - d5 + 11 >= 0)>

// Seven blocks of 32, the last of 8, are all points: accumulators are those of one tile.
// CHECK-LABEL: func.func private @whole_
// CHECK: llvm.alloca %c3200_i64 x f32
// CHECK: llvm.alloca %c64_i64 x f32
func.func @whole(%x: tensor<13x200xf32>, %w: tensor<200x37xf32>) -> tensor<13x37xf32> {
  %e = tc.empty : tensor<13x37xf32>
  %r = tc.kernel "whole" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, 200>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 13, block_lanes = 32, panel_blocks = 7>> ins(%a = %x : tensor<13x200xf32>, %b = %w : tensor<200x37xf32>) outs(%o = %e : tensor<13x37xf32>) {
    %u = tc.read %a[#rows] : tensor<13x200xf32> -> f32
    %v = tc.read %b[#lanes] : tensor<200x37xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, tensor<13x37xf32>
  }
  return %r : tensor<13x37xf32>
}

// Panels of 128, 128 and 44 points, between which the accumulators of all rows of a block wait.
// CHECK-LABEL: func.func private @parts_
// CHECK: llvm.alloca %c4096_i64 x f32
// CHECK: llvm.alloca %c256_i64 x f32
func.func @parts(%x: tensor<13x300xf32>, %w: tensor<300x37xf32>) -> tensor<13x37xf32> {
  %e = tc.empty : tensor<13x37xf32>
  %r = tc.kernel "parts" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, 300>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 32, reduced = 32, block_rows = 8, block_lanes = 64, panel_blocks = 4>> ins(%a = %x : tensor<13x300xf32>, %b = %w : tensor<300x37xf32>) outs(%o = %e : tensor<13x37xf32>) {
    %u = tc.read %a[#rows] : tensor<13x300xf32> -> f32
    %v = tc.read %b[#lanes] : tensor<300x37xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, tensor<13x37xf32>
  }
  return %r : tensor<13x37xf32>
}

// There are fewer blocks than a panel may have.
func.func @more(%x: tensor<5x100xf32>, %w: tensor<100x20xf32>) -> tensor<5x20xf32> {
  %e = tc.empty : tensor<5x20xf32>
  %r = tc.kernel "more" contraction dims [#tc.dim<"m", parallel, 5>, #tc.dim<"n", parallel, 20>, #tc.dim<"k", reduced, 100>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 5, lanes = 16, reduced = 64, block_rows = 5, block_lanes = 32, panel_blocks = 1000>> ins(%a = %x : tensor<5x100xf32>, %b = %w : tensor<100x20xf32>) outs(%o = %e : tensor<5x20xf32>) {
    %u = tc.read %a[#rows] : tensor<5x100xf32> -> f32
    %v = tc.read %b[#lanes] : tensor<100x20xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, tensor<5x20xf32>
  }
  return %r : tensor<5x20xf32>
}

// The number of points is symbolic, and may be 0.
func.func @symbolic(%x: tensor<13x?xf32, #tc.sizes<[13, s0]>>, %w: tensor<?x37xf32, #tc.sizes<[s0, 37]>>) -> tensor<13x37xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %e = tc.empty : tensor<13x37xf32>
  %r = tc.kernel "symbolic" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, s0>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 12, block_lanes = 32, panel_blocks = 3>> ins(%a = %x : tensor<13x?xf32, #tc.sizes<[13, s0]>>, %b = %w : tensor<?x37xf32, #tc.sizes<[s0, 37]>>) outs(%o = %e : tensor<13x37xf32>) {
    %u = tc.read %a[#rows] : tensor<13x?xf32, #tc.sizes<[13, s0]>> -> f32
    %v = tc.read %b[#lanes] : tensor<?x37xf32, #tc.sizes<[s0, 37]>> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, tensor<13x37xf32>
  }
  return %r : tensor<13x37xf32>
}

// Fewer rows than a tile.
func.func @few_rows(%x: tensor<2x300xf32>, %w: tensor<300x37xf32>) -> tensor<2x37xf32> {
  %e = tc.empty : tensor<2x37xf32>
  %r = tc.kernel "few_rows" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, 300>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 4, block_lanes = 32, panel_blocks = 4>> ins(%a = %x : tensor<2x300xf32>, %b = %w : tensor<300x37xf32>) outs(%o = %e : tensor<2x37xf32>) {
    %u = tc.read %a[#rows] : tensor<2x300xf32> -> f32
    %v = tc.read %b[#lanes] : tensor<300x37xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, tensor<2x37xf32>
  }
  return %r : tensor<2x37xf32>
}

// f64.
func.func @doubles(%x: tensor<13x300xf64>, %w: tensor<300x37xf64>) -> tensor<13x37xf64> {
  %e = tc.empty : tensor<13x37xf64>
  %r = tc.kernel "doubles" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, 300>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 8, block_lanes = 64, panel_blocks = 4>> ins(%a = %x : tensor<13x300xf64>, %b = %w : tensor<300x37xf64>) outs(%o = %e : tensor<13x37xf64>) {
    %u = tc.read %a[#rows] : tensor<13x300xf64> -> f64
    %v = tc.read %b[#lanes] : tensor<300x37xf64> -> f64
    %s = tc.contract_stage %u, %v over [2] : f64, f64 -> f64
    tc.write %s, %o[#out] : f64, tensor<13x37xf64>
  }
  return %r : tensor<13x37xf64>
}

// bf16, in pairs where the CPU multiplies such.
func.func @pairs(%x: tensor<13x300xbf16>, %w: tensor<300x37xbf16>) -> tensor<13x37xf32> {
  %e = tc.empty : tensor<13x37xf32>
  %r = tc.kernel "pairs" contraction dims [#tc.dim<"m", parallel, 13>, #tc.dim<"n", parallel, 37>, #tc.dim<"k", reduced, 300>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 32, block_rows = 8, block_lanes = 64, panel_blocks = 4>> ins(%a = %x : tensor<13x300xbf16>, %b = %w : tensor<300x37xbf16>) outs(%o = %e : tensor<13x37xf32>) {
    %u = tc.read %a[#rows] : tensor<13x300xbf16> -> bf16
    %v = tc.read %b[#lanes] : tensor<300x37xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
    tc.write %s, %o[#out] : f32, tensor<13x37xf32>
  }
  return %r : tensor<13x37xf32>
}

// Blocks of seven channels by nine points of a window, three of which are a panel; the image is padded.
func.func @windows(%x: tensor<40x9x11xf32>, %w: tensor<13x40x3x3xf32>) -> tensor<13x9x11xf32> {
  %e = tc.empty : tensor<13x9x11xf32>
  %r = tc.kernel "windows" contraction dims [#tc.dim<"j", parallel, 13>, #tc.dim<"k", parallel, 9>, #tc.dim<"l", parallel, 11>, #tc.dim<"c", reduced, 40>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.contraction_schedule<vector_dim = 2, vector_width = 16, tile = <rows = 6, lanes = 32, reduced = 64, block_rows = 12, block_lanes = 96, panel_blocks = 3>> ins(%a = %x : tensor<40x9x11xf32>, %b = %w : tensor<13x40x3x3xf32>) outs(%o = %e : tensor<13x9x11xf32>) {
    %u = tc.read %a[#image] within #within : tensor<40x9x11xf32> -> f32
    %v = tc.read %b[#weight] : tensor<13x40x3x3xf32> -> f32
    %s = tc.contract_stage %u, %v over [3, 4, 5] : f32, f32 -> f32
    tc.write %s, %o[#result] : f32, tensor<13x9x11xf32>
  }
  return %r : tensor<13x9x11xf32>
}
