// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=shared_rows --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=shared_boxes --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=few_boxes --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=narrow_boxes --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=split_sums --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=split_batches --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=split_sums --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=SPLIT
// RUN: tc-run %s --function=shared_rows --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=ROWS
// RUN: tc-run %s --function=shared_boxes --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=BOXES
// RUN: tc-run %s --function=few_boxes --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=LOOP

// Products on tensor cores by schedules that TC does not choose by itself. Two blocks of a cluster share the tiles of the lanes' operand: each copies half of the rows, or every second box, for both.
// CHECK: largest difference
// CHECK-NOT: not close
// ROWS: tensor_maps [{{.*}}box = [128, 64]{{.*}}box = [64, 64]{{.*}}box = [16, 64]
// ROWS-SAME: cluster = 2
// ROWS: %[[ID:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// ROWS-NEXT: %[[WIDE:.*]] = arith.extui %[[ID]]
// ROWS: block.pipeline at 0 consumers 8 : <4, 32768, cluster 2>
// ROWS: block.copy_in {{.*}} at 0 bytes 16384 : <4, 32768, cluster 2>
// ROWS: %[[RANK:.*]] = arith.trunci %[[WIDE]]
// ROWS: arith.muli %[[RANK]]
// ROWS: block.copy_in {{.*}} at 16384 bytes 8192 shared : <4, 32768, cluster 2>
// ROWS: block.leave
// BOXES: block.copy_in {{.*}} at 0 bytes 8192 : <3, 24576, cluster 2>
// BOXES: block.copy_in {{.*}} at 8192 bytes 8192 shared : <3, 24576, cluster 2>
// Blocks of a cluster have a part of the sums each: steps from their own on, and, when all have left what they have, a part of the lanes.
// SPLIT: tc.launch @[[NAME:product_[0-9]+]] count <40> {{.*}}cluster = 4
// SPLIT: gpu.module @[[NAME]]
// SPLIT: %[[ID:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// SPLIT: %[[WIDE:.*]] = arith.extui %[[ID]]
// SPLIT: %[[RANK:.*]] = arith.trunci %[[WIDE]]
// SPLIT: arith.muli %[[RANK]], %{{.*}} : i32
// SPLIT: block.copy_in
// SPLIT: block.meet
// SPLIT: block.put_sums %{{.*}} at {{[0-9]+}} threads 256 : vector<32xf32>
// SPLIT-NEXT: block.meet
// SPLIT-NEXT: block.take_sums at {{[0-9]+}} threads 256 of 4 : vector<8xf32>
// SPLIT: block.meet
// The boxes of the tile before are stored in a branch of the loop over steps, so that products are written twice: of the first step, and of the others.
// LOOP: gpu.func
// LOOP: block.mma %
// LOOP: block.copy_out
// LOOP: %[[STEP:.*]]:3 = scf.for %[[INDEX:[a-z0-9]+]] =
// LOOP: block.mma %
// LOOP: block.release
// LOOP: %[[HAS:.*]] = arith.cmpi ult, %[[INDEX]],
// LOOP: scf.if %[[HAS]]
// LOOP: block.copy_out
// LOOP: scf.yield
// LOOP-NOT: block.mma %
// LOOP: gpu.return
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#batch_rows = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#batch_lanes_across = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#batch_results = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#lanes_across = affine_map<(d0, d1, d2) -> (d2, d1)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.phase = "fuse", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @shared_rows(%arg0: tensor<300x136xbf16>, %arg1: tensor<200x136xbf16>) -> tensor<300x200xbf16> {
    %0 = tc.empty : tensor<300x200xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 200>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 2, group = 16, async_store = true, cluster = 2> ins(%arg2 = %arg0 : tensor<300x136xbf16>, %arg3 = %arg1 : tensor<200x136xbf16>) outs(%arg4 = %0 : tensor<300x200xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<300x136xbf16> -> bf16
      %3 = tc.read %arg3[#lanes] : tensor<200x136xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<300x200xbf16>
    }
    return %1 : tensor<300x200xbf16>
  }
  func.func @shared_boxes(%arg0: tensor<300x136xf16>, %arg1: tensor<136x200xf16>) -> tensor<300x200xf32> {
    %0 = tc.empty : tensor<300x200xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 200>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 128, stages = 3, blocks = 4, group = 1, cluster = 2> ins(%arg2 = %arg0 : tensor<300x136xf16>, %arg3 = %arg1 : tensor<136x200xf16>) outs(%arg4 = %0 : tensor<300x200xf32>) {
      %2 = tc.read %arg2[#rows] : tensor<300x136xf16> -> f16
      %3 = tc.read %arg3[#lanes_across] : tensor<136x200xf16> -> f16
      %4 = tc.contract_stage %2, %3 over [2] : f16, f16 -> f32
      tc.write %4, %arg4[#results] : f32, tensor<300x200xf32>
    }
    return %1 : tensor<300x200xf32>
  }
  // Several boxes of results are stored during one step.
  func.func @few_boxes(%arg0: tensor<300x72xbf16>, %arg1: tensor<200x72xbf16>) -> tensor<300x200xbf16> {
    %0 = tc.empty : tensor<300x200xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 200>, #tc.dim<"k", reduced, 72>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 192, stages = 3, blocks = 3, group = 2, async_store = true> ins(%arg2 = %arg0 : tensor<300x72xbf16>, %arg3 = %arg1 : tensor<200x72xbf16>) outs(%arg4 = %0 : tensor<300x200xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<300x72xbf16> -> bf16
      %3 = tc.read %arg3[#lanes] : tensor<200x72xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<300x200xbf16>
    }
    return %1 : tensor<300x200xbf16>
  }
  // Boxes of 32 lanes, four of which wait at a time.
  func.func @narrow_boxes(%arg0: tensor<300x72xbf16>, %arg1: tensor<456x72xbf16>) -> tensor<300x456xbf16> {
    %0 = tc.empty : tensor<300x456xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 456>, #tc.dim<"k", reduced, 72>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 224, stages = 3, blocks = 2, group = 2, async_store = true> ins(%arg2 = %arg0 : tensor<300x72xbf16>, %arg3 = %arg1 : tensor<456x72xbf16>) outs(%arg4 = %0 : tensor<300x456xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<300x72xbf16> -> bf16
      %3 = tc.read %arg3[#lanes] : tensor<456x72xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<300x456xbf16>
    }
    return %1 : tensor<300x456xbf16>
  }
  // The last two blocks of a cluster have steps behind the end, of zeros.
  func.func @split_sums(%arg0: tensor<200x392xbf16>, %arg1: tensor<300x392xbf16>, %arg2: tensor<300xbf16>) -> tensor<200x300xbf16> {
    %0 = tc.empty : tensor<200x300xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 300>, #tc.dim<"k", reduced, 392>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 3, blocks = 132, group = 16, splits = 4> ins(%arg3 = %arg0 : tensor<200x392xbf16>, %arg4 = %arg1 : tensor<300x392xbf16>, %arg5 = %arg2 : tensor<300xbf16>) outs(%arg6 = %0 : tensor<200x300xbf16>) {
      %2 = tc.read %arg3[#rows] : tensor<200x392xbf16> -> bf16
      %3 = tc.read %arg4[#lanes] : tensor<300x392xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.read %arg5[affine_map<(d0, d1, d2) -> (d1)>] : tensor<300xbf16> -> bf16
      %6 = tc.cast %5 : bf16 to f32
      %7 = tc.add %4, %6 : f32
      %8 = tc.cast %7 : f32 to bf16
      tc.write %8, %arg6[#results] : bf16, tensor<200x300xbf16>
    }
    return %1 : tensor<200x300xbf16>
  }
  func.func @split_batches(%arg0: tensor<2x65x72xf16>, %arg1: tensor<2x72x136xf16>) -> tensor<2x65x136xf32> {
    %0 = tc.empty : tensor<2x65x136xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"b", parallel, 2>, #tc.dim<"i", parallel, 65>, #tc.dim<"j", parallel, 136>, #tc.dim<"k", reduced, 72>] schedule #tc.gpu_contraction_schedule<vector_dim = 2, rows = 64, lanes = 128, stages = 2, blocks = 1, group = 1, splits = 8> ins(%arg2 = %arg0 : tensor<2x65x72xf16>, %arg3 = %arg1 : tensor<2x72x136xf16>) outs(%arg4 = %0 : tensor<2x65x136xf32>) {
      %2 = tc.read %arg2[#batch_rows] : tensor<2x65x72xf16> -> f16
      %3 = tc.read %arg3[#batch_lanes_across] : tensor<2x72x136xf16> -> f16
      %4 = tc.contract_stage %2, %3 over [3] : f16, f16 -> f32
      tc.write %4, %arg4[#batch_results] : f32, tensor<2x65x136xf32>
    }
    return %1 : tensor<2x65x136xf32>
  }
}
