// Blocks that stay for several tiles of attention, on an emulated GPU: each tile begins while the one before it ends, in tiles of two warp groups, which share
// the blocks at the diagonal where all queries have their keys there, and of one.
// DEFINE: %{function} =
// DEFINE: %{emulate} = env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %t.mlir --function=%{function} --device=cuda --random-inputs=1 --check --tolerance=0.016,0.002

// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | sed 's/rows = [0-9]*, keys = [0-9]*, stages = 2[^>]*>/rows = 128, keys = 128, stages = 2, blocks = 3, async_store = true, query_stages = 2>/' > %t.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULE < %t.mlir
// REDEFINE: %{function} = diagonal
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = short_tile
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = fewer_keys
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = all_keys
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT

// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | sed 's/rows = [0-9]*, keys = [0-9]*, stages = 2[^>]*>/rows = 64, keys = 64, stages = 2, blocks = 3, async_store = true, query_stages = 2>/' > %t.mlir
// REDEFINE: %{function} = short_tile
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = all_keys
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT

// A block has a tile, whose first half block is not that of a tile before.
// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | sed 's/rows = [0-9]*, keys = [0-9]*, stages = 2[^>]*>/rows = 128, keys = 128, stages = 2, async_store = true>/' > %t.mlir
// REDEFINE: %{function} = short_tile
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// RIGHT: largest difference

// SCHEDULE-COUNT-4: tc.kernel "attention" {{.*}}rows = 128, keys = 128, stages = 2, blocks = 3, async_store = true, query_stages = 2>
func.func @diagonal(%q: tensor<2x384x64xbf16>, %k: tensor<2x384x64xbf16>, %v: tensor<2x384x64xbf16>) -> tensor<2x384x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 {causal} : tensor<2x384x64xbf16>, tensor<2x384x64xbf16>, tensor<2x384x64xbf16> -> tensor<2x384x64xbf16>
  return %0 : tensor<2x384x64xbf16>
}

// The last tile has rows of one warp group alone, and more keys than queries.
func.func @short_tile(%q: tensor<3x150x128xbf16>, %k: tensor<3x200x128xbf16>, %v: tensor<3x200x128xbf16>) -> tensor<3x150x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.3 {causal} : tensor<3x150x128xbf16>, tensor<3x200x128xbf16>, tensor<3x200x128xbf16> -> tensor<3x150x128xbf16>
  return %0 : tensor<3x150x128xbf16>
}

func.func @fewer_keys(%q: tensor<2x300x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x300x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 {causal} : tensor<2x300x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x300x64xbf16>
  return %0 : tensor<2x300x64xbf16>
}

func.func @all_keys(%q: tensor<5x130x64xbf16>, %k: tensor<5x200x64xbf16>, %v: tensor<5x200x64xbf16>) -> tensor<5x130x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 : tensor<5x130x64xbf16>, tensor<5x200x64xbf16>, tensor<5x200x64xbf16> -> tensor<5x130x64xbf16>
  return %0 : tensor<5x130x64xbf16>
}
