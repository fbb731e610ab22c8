// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=two_groups --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=one_group --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=few_rows --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=rows_across --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=few_rows_across --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=lanes_across --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=integers --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=batches --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=odd_pitch --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 STAND_IN_CAPABILITY=8.0 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=promoted --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=two_groups --target=cuda:sm_80 --compile-to=generate | FileCheck %s --check-prefix=GROUPS
// RUN: tc-run %s --function=odd_pitch --target=cuda:sm_80 --compile-to=generate | FileCheck %s --check-prefix=LOADS
// RUN: tc-run %s --function=promoted --target=cuda:sm_80 --compile-to=generate | FileCheck %s --check-prefix=PROMOTED

// Products of warps, in tiles that TC does not all choose by itself: threads of the first warp group copy what they may, and the warps of the others multiply 16 or 32 rows each.
// CHECK: largest difference
// CHECK-NOT: not close
// GROUPS: gpu.func @product
// GROUPS: block.pipeline at 0 consumers 8 producers 128 : <3, 49152>
// GROUPS: block.await_empty
// GROUPS: block.copy_part {{.*}} at 0 row {{.*}} size 16 part 0 : <3, 49152>
// GROUPS: block.copy_part {{.*}} at 32768 row
// GROUPS: block.give_copies
// GROUPS: block.wait_full
// GROUPS-NEXT: block.mma_sync {{.*}} rows 128 a %{{.*}} b 32768 columns 128 depth 64 type bf16 sums %{{.*}} : vector<128xf32> : <3, 49152> -> vector<128xf32>
// GROUPS-NEXT: block.release
// Rows that do not begin at multiples of 16 bytes are loaded.
// LOADS: gpu.module @product_8
// LOADS-NOT: block.copy_part
// LOADS: block.store_in
// LOADS: block.give_copies
// Sums of f32 of two steps are added to those of the thread, which begin with zero in every second step.
// PROMOTED: gpu.module @product_9
// PROMOTED: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<40xf32>
// PROMOTED: scf.for {{.*}} iter_args(%[[ALL:.*]] = %[[ZEROS]],
// PROMOTED: %[[PART:.*]]:2 = scf.for {{.*}} iter_args(%[[SUMS:.*]] = %[[ZEROS]],
// PROMOTED: block.mma_sync {{.*}} type f32 sums %[[SUMS]] : vector<40xf32>
// PROMOTED: arith.addf %[[ALL]], %[[PART]]#0 : vector<40xf32>
module attributes {tc.phase = "fuse", tc.target = #tc.target<"cuda", chip = "sm_80", features = "+ptx80">} {
  func.func @two_groups(%arg0: tensor<300x136xbf16>, %arg1: tensor<136x136xbf16>) -> tensor<300x136xbf16> {
    %0 = tc.empty : tensor<300x136xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 300>, #tc.dim<"j", parallel, 136>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 256, lanes = 128, stages = 3, blocks = 3, group = 2, warp_products = true> ins(%arg2 = %arg0 : tensor<300x136xbf16>, %arg3 = %arg1 : tensor<136x136xbf16>) outs(%arg4 = %0 : tensor<300x136xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<300x136xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<136x136xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : bf16, tensor<300x136xbf16>
    }
    return %1 : tensor<300x136xbf16>
  }
  func.func @one_group(%arg0: tensor<200x72xf16>, %arg1: tensor<40x72xf16>) -> tensor<200x40xf32> {
    %0 = tc.empty : tensor<200x40xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 40>, #tc.dim<"k", reduced, 72>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 24, stages = 2, blocks = 4, group = 4, warp_products = true> ins(%arg2 = %arg0 : tensor<200x72xf16>, %arg3 = %arg1 : tensor<40x72xf16>) outs(%arg4 = %0 : tensor<200x40xf32>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<200x72xf16> -> f16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<40x72xf16> -> f16
      %4 = tc.contract_stage %2, %3 over [2] : f16, f16 -> f32
      tc.write %4, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<200x40xf32>
    }
    return %1 : tensor<200x40xf32>
  }
  func.func @few_rows(%arg0: tensor<70x64xbf16>, %arg1: tensor<96x64xbf16>) -> tensor<70x96xbf16> {
    %0 = tc.empty : tensor<70x96xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 70>, #tc.dim<"j", parallel, 96>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 96, stages = 4, blocks = 1, group = 1, warp_products = true> ins(%arg2 = %arg0 : tensor<70x64xbf16>, %arg3 = %arg1 : tensor<96x64xbf16>) outs(%arg4 = %0 : tensor<70x96xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<70x64xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<96x64xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : bf16, tensor<70x96xbf16>
    }
    return %1 : tensor<70x96xbf16>
  }
  func.func @rows_across(%arg0: tensor<100x264xbf16>, %arg1: tensor<72x100xbf16>) -> tensor<264x72xbf16> {
    %0 = tc.empty : tensor<264x72xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 264>, #tc.dim<"j", parallel, 72>, #tc.dim<"k", reduced, 100>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 256, lanes = 72, stages = 3, blocks = 2, group = 1, warp_products = true> ins(%arg2 = %arg0 : tensor<100x264xbf16>, %arg3 = %arg1 : tensor<72x100xbf16>) outs(%arg4 = %0 : tensor<264x72xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d2, d0)>] : tensor<100x264xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<72x100xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : bf16, tensor<264x72xbf16>
    }
    return %1 : tensor<264x72xbf16>
  }
  func.func @few_rows_across(%arg0: tensor<80x72xf16>, %arg1: tensor<80x64xf16>) -> tensor<72x64xf16> {
    %0 = tc.empty : tensor<72x64xf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 72>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 80>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = 3, blocks = 2, group = 1, warp_products = true> ins(%arg2 = %arg0 : tensor<80x72xf16>, %arg3 = %arg1 : tensor<80x64xf16>) outs(%arg4 = %0 : tensor<72x64xf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d2, d0)>] : tensor<80x72xf16> -> f16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<80x64xf16> -> f16
      %4 = tc.contract_stage %2, %3 over [2] : f16, f16 -> f32
      %5 = tc.cast %4 : f32 to f16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : f16, tensor<72x64xf16>
    }
    return %1 : tensor<72x64xf16>
  }
  func.func @lanes_across(%arg0: tensor<130x136xbf16>, %arg1: tensor<136x200xbf16>) -> tensor<130x200xbf16> {
    %0 = tc.empty : tensor<130x200xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 130>, #tc.dim<"j", parallel, 200>, #tc.dim<"k", reduced, 136>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 104, stages = 2, blocks = 2, group = 8, warp_products = true> ins(%arg2 = %arg0 : tensor<130x136xbf16>, %arg3 = %arg1 : tensor<136x200xbf16>) outs(%arg4 = %0 : tensor<130x200xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<130x136xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<136x200xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : bf16, tensor<130x200xbf16>
    }
    return %1 : tensor<130x200xbf16>
  }
  func.func @integers(%arg0: tensor<140x272xi8>, %arg1: tensor<56x272xi8>) -> tensor<140x56xi32> {
    %0 = tc.empty : tensor<140x56xi32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 140>, #tc.dim<"j", parallel, 56>, #tc.dim<"k", reduced, 272>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 56, stages = 3, blocks = 2, group = 1, warp_products = true> ins(%arg2 = %arg0 : tensor<140x272xi8>, %arg3 = %arg1 : tensor<56x272xi8>) outs(%arg4 = %0 : tensor<140x56xi32>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<140x272xi8> -> i8
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<56x272xi8> -> i8
      %w2 = tc.cast %2 : i8 to i32
      %w3 = tc.cast %3 : i8 to i32
      %4 = tc.contract_stage %w2, %w3 over [2] : i32, i32 -> i32
      tc.write %4, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : i32, tensor<140x56xi32>
    }
    return %1 : tensor<140x56xi32>
  }
  func.func @batches(%arg0: tensor<3x66x64xbf16>, %arg1: tensor<3x48x64xbf16>) -> tensor<3x66x48xbf16> {
    %0 = tc.empty : tensor<3x66x48xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"b", parallel, 3>, #tc.dim<"i", parallel, 66>, #tc.dim<"j", parallel, 48>, #tc.dim<"k", reduced, 64>] schedule #tc.gpu_contraction_schedule<vector_dim = 2, rows = 64, lanes = 32, stages = 3, blocks = 5, group = 2, warp_products = true> ins(%arg2 = %arg0 : tensor<3x66x64xbf16>, %arg3 = %arg1 : tensor<3x48x64xbf16>) outs(%arg4 = %0 : tensor<3x66x48xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>] : tensor<3x66x64xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>] : tensor<3x48x64xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [3] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] : bf16, tensor<3x66x48xbf16>
    }
    return %1 : tensor<3x66x48xbf16>
  }
  func.func @odd_pitch(%arg0: tensor<90x50xbf16>, %arg1: tensor<33x50xbf16>) -> tensor<90x33xbf16> {
    %0 = tc.empty : tensor<90x33xbf16>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 90>, #tc.dim<"j", parallel, 33>, #tc.dim<"k", reduced, 50>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 40, stages = 3, blocks = 2, group = 2, warp_products = true> ins(%arg2 = %arg0 : tensor<90x50xbf16>, %arg3 = %arg1 : tensor<33x50xbf16>) outs(%arg4 = %0 : tensor<90x33xbf16>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<90x50xbf16> -> bf16
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<33x50xbf16> -> bf16
      %4 = tc.contract_stage %2, %3 over [2] : bf16, bf16 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : bf16, tensor<90x33xbf16>
    }
    return %1 : tensor<90x33xbf16>
  }
  func.func @promoted(%arg0: tensor<200x168xf32>, %arg1: tensor<40x168xf32>) -> tensor<200x40xf32> {
    %0 = tc.empty : tensor<200x40xf32>
    %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 200>, #tc.dim<"j", parallel, 40>, #tc.dim<"k", reduced, 168>] schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 40, stages = 2, blocks = 4, group = 4, promotion = 2, warp_products = true> ins(%arg2 = %arg0 : tensor<200x168xf32>, %arg3 = %arg1 : tensor<40x168xf32>) outs(%arg4 = %0 : tensor<200x40xf32>) {
      %2 = tc.read %arg2[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<200x168xf32> -> f32
      %3 = tc.read %arg3[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<40x168xf32> -> f32
      %4 = tc.contract_stage %2, %3 over [2] : f32, f32 -> f32
      tc.write %4, %arg4[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<200x40xf32>
    }
    return %1 : tensor<200x40xf32>
  }
}
