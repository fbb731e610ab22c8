// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=few_threads --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=folded_points --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=one_fold --random-inputs=0 --device=cuda --check | FileCheck %s --check-prefix=FOLD
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=rows_of_a_block --random-inputs=0 --device=cuda --check | FileCheck %s --check-prefix=FOLD

// Schedules that TC does not choose by itself are right as well: rows that begin anywhere have three ends, more than a row has threads; and
// what a thread folds is not bound in front of the code of its vectors.
// Rows in shared memory are those of small clusters, too, and several of a block.
// FOLD: largest difference {{0|[1-9.]+e-0[78]}} absolute
// FOLD-NOT: not close
// CHECK-COUNT-1: largest difference 0
// CHECK-NOT: not close
#begins_late = affine_map<(d0, d1) -> (d0, d1 + 3)>
#column = affine_map<(d0, d1) -> (d1, d0 + 3)>
#first = affine_map<(d0, d1) -> (d0)>
#point = affine_map<(d0, d1) -> (d0, d1)>
module attributes {tc.phase = "fuse", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @few_threads(%arg0: tensor<64x1004xf32>) -> tensor<64xf32> {
    %0 = tc.empty : tensor<64xf32>
    %1 = tc.kernel "max_of_rows" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 1001>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 2, threads = 1, rows = 32> ins(%arg1 = %arg0 : tensor<64x1004xf32>) outs(%arg2 = %0 : tensor<64xf32>) {
      %2 = tc.read %arg1[#begins_late] : tensor<64x1004xf32> -> f32
      %3 = tc.reduce_stage max %2 over [1] : f32 -> f32
      tc.write %3, %arg2[#first] : f32, tensor<64xf32>
    }
    return %1 : tensor<64xf32>
  }
  func.func @folded_points(%arg0: tensor<64x1027xbf16>) -> tensor<1024xbf16> {
    %0 = tc.empty : tensor<1024xbf16>
    %1 = tc.kernel "max_of_columns" column_reduction dims [#tc.dim<"j", parallel, 1024>, #tc.dim<"i", reduced, 64>] schedule #tc.gpu_loop_schedule<vector_dim = 0, vector_width = 8, units = 2, threads = 32> ins(%arg1 = %arg0 : tensor<64x1027xbf16>) outs(%arg2 = %0 : tensor<1024xbf16>) {
      %2 = tc.read %arg1[#column] : tensor<64x1027xbf16> -> bf16
      %3 = tc.cast %2 : bf16 to f32
      %4 = tc.reduce_stage max %3 over [1] : f32 -> f32
      %5 = tc.cast %4 : f32 to bf16
      tc.write %5, %arg2[#first] : bf16, tensor<1024xbf16>
    }
    return %1 : tensor<1024xbf16>
  }
  func.func @one_fold(%arg0: tensor<7x1000xf32>) -> tensor<7x1000xf32> {
    %0 = tc.empty : tensor<7x1000xf32>
    %1 = tc.kernel "normalize" row_reduction dims [#tc.dim<"i", parallel, 7>, #tc.dim<"j", parallel, 1000>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 4, held = true, packed = true, threads = 32, cluster = 2, shared = true> ins(%arg1 = %arg0 : tensor<7x1000xf32>) outs(%arg2 = %0 : tensor<7x1000xf32>) {
      %2 = tc.read %arg1[#point] : tensor<7x1000xf32> -> f32
      %3 = tc.reduce_stage max %2 over [1] : f32 -> f32
      %4 = tc.sub %2, %3 : f32
      tc.write %4, %arg2[#point] : f32, tensor<7x1000xf32>
    }
    return %1 : tensor<7x1000xf32>
  }
  func.func @rows_of_a_block(%arg0: tensor<7x1000xf32>) -> tensor<7x1000xf32> {
    %0 = tc.empty : tensor<7x1000xf32>
    %1 = tc.kernel "normalize" row_reduction dims [#tc.dim<"i", parallel, 7>, #tc.dim<"j", parallel, 1000>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 4, held = true, packed = true, threads = 64, rows = 4, shared = true> ins(%arg1 = %arg0 : tensor<7x1000xf32>) outs(%arg2 = %0 : tensor<7x1000xf32>) {
      %2 = tc.read %arg1[#point] : tensor<7x1000xf32> -> f32
      %3 = tc.reduce_stage max %2 over [1] : f32 -> f32
      %4 = tc.sub %2, %3 : f32
      tc.write %4, %arg2[#point] : f32, tensor<7x1000xf32>
    }
    return %1 : tensor<7x1000xf32>
  }
}
