// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=several_steps --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=stored_behind --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=one_group --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=split_sums --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=bf16 --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=several_steps --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=STEPS

// Promotions by schedules that TC does not choose by itself.
// CHECK: largest difference
// CHECK-NOT: not close
// The sums of the first step, and then those of every two, of which the last may be one.
// STEPS: gpu.module @product
// STEPS: block.mma {{.*}} depth 128 type f8E4M3FN :
// STEPS: block.mma_wait %
// STEPS: scf.for
// STEPS: block.mma {{.*}} depth 128 type f8E4M3FN :
// STEPS: arith.minui
// STEPS: scf.for
// STEPS: block.mma {{.*}} depth 128 type f8E4M3FN accumulate
// STEPS: block.mma_wait_earlier
// STEPS: block.mma_wait %
// STEPS: arith.addf {{.*}} : vector<48xf32>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lanes = affine_map<(d0, d1, d2) -> (d1, d2)>
#results = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.phase = "fuse", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  // Six steps, the last of which ends early.
  func.func @several_steps(%arg0: tensor<200x752xf8E4M3FN>, %arg1: tensor<304x752xf8E4M3FN>) -> tensor<200x304xf32> {
    %0 = tc.empty : tensor<200x304xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 304>, #tc.dim<"k", reduced, 752>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 96, stages = 3, blocks = 3, group = 2, promotion = 2> ins(%arg2 = %arg0 : tensor<200x752xf8E4M3FN>, %arg3 = %arg1 : tensor<304x752xf8E4M3FN>) outs(%arg4 = %0 : tensor<200x304xf32>) {
      %2 = tc.read %arg2[#rows] : tensor<200x752xf8E4M3FN> -> f8E4M3FN
      %3 = tc.read %arg3[#lanes] : tensor<304x752xf8E4M3FN> -> f8E4M3FN
      %4 = tc.contract_stage %2, %3 over [2] : f8E4M3FN, f8E4M3FN -> f32
      tc.write %4, %arg4[#results] : f32, tensor<200x304xf32>
    }
    return %1 : tensor<200x304xf32>
  }
  // Results are stored behind the steps that are promoted one by one.
  func.func @stored_behind(%arg0: tensor<200x400xf8E4M3FN>, %arg1: tensor<304x400xf8E5M2>) -> tensor<200x304xbf16> {
    %0 = tc.empty : tensor<200x304xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 304>, #tc.dim<"k", reduced, 400>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 3, blocks = 2, group = 2, async_store = true, cluster = 2, promotion = 3> ins(%arg2 = %arg0 : tensor<200x400xf8E4M3FN>, %arg3 = %arg1 : tensor<304x400xf8E5M2>) outs(%arg4 = %0 : tensor<200x304xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<200x400xf8E4M3FN> -> f8E4M3FN
      %3 = tc.read %arg3[#lanes] : tensor<304x400xf8E5M2> -> f8E5M2
      %4 = tc.contract_stage %2, %3 over [2] : f8E4M3FN, f8E5M2 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<200x304xbf16>
    }
    return %1 : tensor<200x304xbf16>
  }
  // One warp group multiplies.
  func.func @one_group(%arg0: tensor<200x400xf8E4M3FN>, %arg1: tensor<304x400xf8E4M3FN>) -> tensor<200x304xbf16> {
    %0 = tc.empty : tensor<200x304xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 304>, #tc.dim<"k", reduced, 400>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 192, stages = 3, blocks = 3, group = 2, async_store = true, promotion = 1> ins(%arg2 = %arg0 : tensor<200x400xf8E4M3FN>, %arg3 = %arg1 : tensor<304x400xf8E4M3FN>) outs(%arg4 = %0 : tensor<200x304xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<200x400xf8E4M3FN> -> f8E4M3FN
      %3 = tc.read %arg3[#lanes] : tensor<304x400xf8E4M3FN> -> f8E4M3FN
      %4 = tc.contract_stage %2, %3 over [2] : f8E4M3FN, f8E4M3FN -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<200x304xbf16>
    }
    return %1 : tensor<200x304xbf16>
  }
  // Blocks that share a tile.
  func.func @split_sums(%arg0: tensor<200x752xf8E4M3FN>, %arg1: tensor<304x752xf8E4M3FN>) -> tensor<200x304xbf16> {
    %0 = tc.empty : tensor<200x304xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 304>, #tc.dim<"k", reduced, 752>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 3, blocks = 132, group = 16, splits = 2, promotion = 1> ins(%arg2 = %arg0 : tensor<200x752xf8E4M3FN>, %arg3 = %arg1 : tensor<304x752xf8E4M3FN>) outs(%arg4 = %0 : tensor<200x304xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<200x752xf8E4M3FN> -> f8E4M3FN
      %3 = tc.read %arg3[#lanes] : tensor<304x752xf8E4M3FN> -> f8E4M3FN
      %4 = tc.contract_stage %2, %3 over [2] : f8E4M3FN, f8E4M3FN -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<200x304xbf16>
    }
    return %1 : tensor<200x304xbf16>
  }
  // Sums of products of 16 bits may be promoted, too.
  func.func @bf16(%arg0: tensor<72x400xbf16>, %arg1: tensor<104x400xbf16>) -> tensor<72x104xbf16> {
    %0 = tc.empty : tensor<72x104xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 72>, #tc.dim<"j", parallel, 104>, #tc.dim<"k", reduced, 400>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 96, stages = 3, blocks = 3, group = 2, promotion = 4> ins(%arg2 = %arg0 : tensor<72x400xbf16>, %arg3 = %arg1 : tensor<104x400xbf16>) outs(%arg4 = %0 : tensor<72x104xbf16>) {
      %2 = tc.read %arg2[#rows] : tensor<72x400xbf16> -> bf16
      %3 = tc.read %arg3[#lanes] : tensor<104x400xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[#results] : bf16, tensor<72x104xbf16>
    }
    return %1 : tensor<72x104xbf16>
  }
}
