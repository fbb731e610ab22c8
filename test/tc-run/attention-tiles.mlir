// Attention on the tiles of contractions: in tile registers (AMX), in pairs of
// bf16, and in f32. Queries, keys, depth and columns fill no whole tiles. The
// weights are rounded to bf16 where the values are bf16: sums that cancel have
// an error in proportion to their terms.
// RUN: tc-run %s --function=plain --compile-to=fuse --target=cpu:sapphirerapids | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --function=few --compile-to=fuse --target=cpu:sapphirerapids | FileCheck %s --check-prefix=FEW
// RUN: tc-run %s --function=plain --compile-to=fuse --target=cpu:x86-64-v4:+avx512bf16 | FileCheck %s --check-prefix=VECTORS
// RUN: tc-run %s --function=symbolic --compile-to=fuse --target=cpu:sapphirerapids | FileCheck %s --check-prefix=SYMBOLIC
// RUN: tc-run %s --function=plain --random-inputs=1 --target=cpu:sapphirerapids --print-assembly | FileCheck %s --check-prefix=TILES
// RUN: tc-run %s --function=plain --random-inputs=1 --target=cpu:znver4 --print-assembly | FileCheck %s --check-prefix=PAIRS
// RUN: tc-run %s --function=plain --random-inputs=1 --target=cpu:x86-64-v4 --print-assembly | FileCheck %s --check-prefix=WIDENED
// RUN: tc-run %s --function=plain --random-inputs=1 --check --tolerance=0.016,0.006
// RUN: tc-run %s --function=few --random-inputs=1 --check --tolerance=0.016,0.006
// RUN: tc-run %s --function=causal --random-inputs=1 --check --tolerance=0.016,0.006 --threads=2
// RUN: tc-run %s --function=shared --random-inputs=1 --check --tolerance=0.016,0.006 --threads=2
// RUN: tc-run %s --function=across --random-inputs=1 --check --tolerance=0.016,0.006
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=1 --check --tolerance=0.016,0.006
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=37 --check --tolerance=0.016,0.006 --threads=2
// RUN: tc-run %s --function=half --random-inputs=1 --check
// RUN: tc-run %s --function=single --random-inputs=1 --check
// RUN: tc-run %s --function=plain --random-inputs=1 --check --tolerance=0.016,0.006 --target=cpu:x86-64-v3
// RUN: tc-run %s --function=causal --random-inputs=1 --check --tolerance=0.016,0.006 --target=cpu:x86-64-v3
// RUN: tc-run %s --function=single --random-inputs=1 --check --target=cpu:x86-64-v3
// RUN: tc-run %s --function=single --random-inputs=1 --check --target=cpu:x86-64

// SCHEDULE: #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 32, column_lanes = 32, softmax_lanes = 32
// FEW: #tc.attention_schedule<multiply_adds = amx, rows = 16, key_lanes = 32, column_lanes = 64, softmax_lanes = 32
// VECTORS: #tc.attention_schedule<multiply_adds = vector_bf16, rows = 6, key_lanes = 64, column_lanes = 64, softmax_lanes = 32
// SYMBOLIC: #tc.attention_schedule<multiply_adds = vector, rows = 6, key_lanes = 64, column_lanes = 16, softmax_lanes = 32, {{.*}}few_rows = 2, few_below = 11360>
// TILES: ldtilecfg
// TILES: tdpbf16ps
// TILES: tilerelease
// PAIRS-NOT: tdpbf16ps
// PAIRS: vdpbf16ps
// WIDENED-NOT: dpbf16ps
// WIDENED: vfmadd
func.func @plain(%q: tensor<12x77x40xbf16>, %k: tensor<12x65x40xbf16>, %v: tensor<12x65x72xbf16>) -> tensor<12x77x72xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.15 : tensor<12x77x40xbf16>, tensor<12x65x40xbf16>, tensor<12x65x72xbf16> -> tensor<12x77x72xbf16>
  return %0 : tensor<12x77x72xbf16>
}

// One row of registers has room for four along the lanes.
func.func @few(%q: tensor<24x9x32xbf16>, %k: tensor<24x30x32xbf16>, %v: tensor<24x30x64xbf16>) -> tensor<24x9x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<24x9x32xbf16>, tensor<24x30x32xbf16>, tensor<24x30x64xbf16> -> tensor<24x9x64xbf16>
  return %0 : tensor<24x9x64xbf16>
}

func.func @causal(%q: tensor<16x131x33xbf16>, %k: tensor<16x131x33xbf16>, %v: tensor<16x131x41xbf16>) -> tensor<16x131x41xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.15 {causal} : tensor<16x131x33xbf16>, tensor<16x131x33xbf16>, tensor<16x131x41xbf16> -> tensor<16x131x41xbf16>
  return %0 : tensor<16x131x41xbf16>
}

// Two heads of queries for one of keys, and a mask that hides some of them.
func.func @shared(%q: tensor<2x8x50x32xbf16>, %k: tensor<2x4x47x32xbf16>, %v: tensor<2x4x47x32xbf16>, %m: tensor<50x47xi1>) -> tensor<2x8x50x32xbf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<50x47xi1> scale 0.2 : tensor<2x8x50x32xbf16>, tensor<2x4x47x32xbf16>, tensor<2x4x47x32xbf16> -> tensor<2x8x50x32xbf16>
  return %0 : tensor<2x8x50x32xbf16>
}

// Keys whose lanes, and values whose points, are contiguous; both are computed.
func.func @across(%q: tensor<30x40x24xbf16>, %k: tensor<30x24x37xbf16>, %v: tensor<30x20x37xbf16>) -> tensor<30x40x20xbf16> {
  %0 = tc.transpose %k [0, 2, 1] : tensor<30x24x37xbf16> -> tensor<30x37x24xbf16>
  %1 = tc.transpose %v [0, 2, 1] : tensor<30x20x37xbf16> -> tensor<30x37x20xbf16>
  %2 = tc.neg %0 : tensor<30x37x24xbf16>
  %3 = tc.relu %1 : tensor<30x37x20xbf16>
  %4 = tc.attention %q, %2, %3 scale 0.2 : tensor<30x40x24xbf16>, tensor<30x37x24xbf16>, tensor<30x37x20xbf16> -> tensor<30x40x20xbf16>
  return %4 : tensor<30x40x20xbf16>
}

// At the smallest sizes packed keys and values would be large next to what is
// written: vectors of f32 pack the keys alone, and calls that write little have
// tiles of fewer rows.
func.func @symbolic(%q: tensor<?x45x16xbf16, #tc.sizes<[s0, 45, 16]>>, %k: tensor<?x33x16xbf16, #tc.sizes<[s0, 33, 16]>>) -> tensor<?x45x16xbf16, #tc.sizes<[s0, 45, 16]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 512>]} {
  %0 = tc.attention %q, %k, %k scale 0.25 : tensor<?x45x16xbf16, #tc.sizes<[s0, 45, 16]>>, tensor<?x33x16xbf16, #tc.sizes<[s0, 33, 16]>>, tensor<?x33x16xbf16, #tc.sizes<[s0, 33, 16]>> -> tensor<?x45x16xbf16, #tc.sizes<[s0, 45, 16]>>
  return %0 : tensor<?x45x16xbf16, #tc.sizes<[s0, 45, 16]>>
}

func.func @half(%q: tensor<2x20x33xf16>, %k: tensor<2x45x33xf16>, %v: tensor<2x45x48xf16>) -> tensor<2x20x48xf16> {
  %0 = tc.attention %q, %k, %v scale 0.15 : tensor<2x20x33xf16>, tensor<2x45x33xf16>, tensor<2x45x48xf16> -> tensor<2x20x48xf16>
  return %0 : tensor<2x20x48xf16>
}

// Values of 21 columns are read under a mask.
func.func @single(%q: tensor<2x20x33xf32>, %k: tensor<2x45x33xf32>, %v: tensor<2x45x21xf32>) -> tensor<2x20x21xf32> {
  %0 = tc.attention %q, %k, %v scale 0.15 : tensor<2x20x33xf32>, tensor<2x45x33xf32>, tensor<2x45x21xf32> -> tensor<2x20x21xf32>
  return %0 : tensor<2x20x21xf32>
}
