// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=tail --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=no_full_wave --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=clusters --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=fewer_sharers --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=few_steps --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=full_waves --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=tail --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=TAIL

// Blocks share the tiles of a wave that is not full: a block leaves its sums of a tile in the workspace and counts each of its warps, and the block that ends the tile adds them up.
// CHECK: largest difference
// CHECK-NOT: not close
// TAIL: tc.launch @product_{{[0-9]+}} count <4> {{.*}}uses_counters
// TAIL: llvm.load %{{.*}} atomic syncscope("device") acquire
// TAIL: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// TAIL: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") monotonic
// TAIL: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// TAIL: nvvm.bar.warp.sync
// TAIL: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") release
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#across = affine_map<(d0, d1, d2) -> (d2, d1)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  // The last 2 of 10 tiles, of 7 steps each, are for 4 blocks; the copy engine stores what one of them ends.
  func.func @tail(%arg0: tensor<200x392xbf16>, %arg1: tensor<304x392xbf16>) -> tensor<200x304xbf16> {
    %0 = tc.empty : tensor<200x304xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 304>, #tc.dim<"k", reduced, 392>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 3, blocks = 4, group = 16, async_store = true, tail_blocks = 4> ins(%x = %arg0 : tensor<200x392xbf16>, %w = %arg1 : tensor<304x392xbf16>) outs(%r = %0 : tensor<200x304xbf16>) {
      %2 = tc.read %x[#rows] : tensor<200x392xbf16> -> bf16
      %3 = tc.read %w[#lanes] : tensor<304x392xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %8 = tc.cast %4 : f32 to bf16
      tc.write %8, %r[#results] : bf16, tensor<200x304xbf16>
    }
    return %1 : tensor<200x304xbf16>
  }
  // More blocks than tiles: each tile has steps of three blocks or more.
  func.func @no_full_wave(%arg0: tensor<200x392xbf16>, %arg1: tensor<300x392xbf16>, %arg2: tensor<300xbf16>) -> tensor<200x300xbf16> {
    %0 = tc.empty : tensor<200x300xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 300>, #tc.dim<"k", reduced, 392>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 3, blocks = 24, group = 16, tail_blocks = 24> ins(%x = %arg0 : tensor<200x392xbf16>, %w = %arg1 : tensor<300x392xbf16>, %bias = %arg2 : tensor<300xbf16>) outs(%r = %0 : tensor<200x300xbf16>) {
      %2 = tc.read %x[#rows] : tensor<200x392xbf16> -> bf16
      %3 = tc.read %w[#lanes] : tensor<300x392xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.read %bias[affine_map<(d0, d1, d2) -> (d1)>] : tensor<300xbf16> -> bf16
      %6 = tc.cast %5 : bf16 to f32
      %7 = tc.add %4, %6 : f32
      %8 = tc.cast %7 : f32 to bf16
      tc.write %8, %r[#results] : bf16, tensor<200x300xbf16>
    }
    return %1 : tensor<200x300xbf16>
  }
  // Clusters share tiles as blocks do, each block those of its rows.
  func.func @clusters(%arg0: tensor<300x272xf16>, %arg1: tensor<272x200xf16>) -> tensor<300x200xf32> {
    %0 = tc.empty : tensor<300x200xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 200>, #tc.dim<"k", reduced, 272>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 128, stages = 3, blocks = 10, group = 1, cluster = 2, tail_blocks = 10> ins(%x = %arg0 : tensor<300x272xf16>, %w = %arg1 : tensor<272x200xf16>) outs(%r = %0 : tensor<300x200xf32>) {
      %2 = tc.read %x[#rows] : tensor<300x272xf16> -> f16
      %3 = tc.read %w[#across] : tensor<272x200xf16> -> f16
      %4 = tc.contract_stage %2, %3 over [2] : f16, f16 -> f32
      tc.write %4, %r[#results] : f32, tensor<300x200xf32>
    }
    return %1 : tensor<300x200xf32>
  }
  // Three blocks have the last two tiles, others none of them.
  func.func @fewer_sharers(%arg0: tensor<200x392xbf16>, %arg1: tensor<300x392xbf16>) -> tensor<200x300xbf16> {
    %0 = tc.empty : tensor<200x300xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 300>, #tc.dim<"k", reduced, 392>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 3, blocks = 8, group = 16, tail_blocks = 3> ins(%x = %arg0 : tensor<200x392xbf16>, %w = %arg1 : tensor<300x392xbf16>) outs(%r = %0 : tensor<200x300xbf16>) {
      %2 = tc.read %x[#rows] : tensor<200x392xbf16> -> bf16
      %3 = tc.read %w[#lanes] : tensor<300x392xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %8 = tc.cast %4 : f32 to bf16
      tc.write %8, %r[#results] : bf16, tensor<200x300xbf16>
    }
    return %1 : tensor<200x300xbf16>
  }
  // Fewer steps than blocks.
  func.func @few_steps(%arg0: tensor<60x136xbf16>, %arg1: tensor<60x136xbf16>) -> tensor<60x60xbf16> {
    %0 = tc.empty : tensor<60x60xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 60>, #tc.dim<"j", parallel, 60>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = 3, blocks = 8, group = 16, tail_blocks = 8> ins(%x = %arg0 : tensor<60x136xbf16>, %w = %arg1 : tensor<60x136xbf16>) outs(%r = %0 : tensor<60x60xbf16>) {
      %2 = tc.read %x[#rows] : tensor<60x136xbf16> -> bf16
      %3 = tc.read %w[#lanes] : tensor<60x136xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %8 = tc.cast %4 : f32 to bf16
      tc.write %8, %r[#results] : bf16, tensor<60x60xbf16>
    }
    return %1 : tensor<60x60xbf16>
  }
  // No tile is left for the blocks to share.
  func.func @full_waves(%arg0: tensor<128x136xbf16>, %arg1: tensor<128x136xbf16>) -> tensor<128x128xbf16> {
    %0 = tc.empty : tensor<128x128xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 128>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = 3, blocks = 4, group = 16, tail_blocks = 4> ins(%x = %arg0 : tensor<128x136xbf16>, %w = %arg1 : tensor<128x136xbf16>) outs(%r = %0 : tensor<128x128xbf16>) {
      %2 = tc.read %x[#rows] : tensor<128x136xbf16> -> bf16
      %3 = tc.read %w[#lanes] : tensor<128x136xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %8 = tc.cast %4 : f32 to bf16
      tc.write %8, %r[#results] : bf16, tensor<128x128xbf16>
    }
    return %1 : tensor<128x128xbf16>
  }
}
