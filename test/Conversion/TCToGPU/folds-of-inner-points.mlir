// Rows of experts: a result for each token, and products of the token's row, whose folds vary over the columns as well. Blocks share
// folds of rows alone.
// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES
// AGREES: largest difference
// AGREES-NOT: not close

// CHECK: tc.kernel "floor_div_maximum_minimum" row_reduction dims [#tc.dim<"m", parallel, 78>, #tc.dim<"n", parallel, 128>, #tc.dim<"k", reduced, 32>] schedule #tc.gpu_row_schedule<
// CHECK-NOT: blocks
// CHECK-SAME: outs(
func.func @main(%token: tensor<78xi64>, %expert: tensor<78xi64>, %w: tensor<4x128x32xf32>, %x: tensor<39x32xf32>) -> (tensor<78xi64>, tensor<78x128xf32>) {
  %two = tc.full 2 : i64 -> tensor<78xi64>
  %last = tc.full 38 : i64 -> tensor<78xi64>
  %three = tc.full 3 : i64 -> tensor<78xi64>
  %zero = tc.full 0 : i64 -> tensor<78xi64>
  %0 = tc.floor_div %token, %two : tensor<78xi64>
  %1 = tc.maximum %0, %zero : tensor<78xi64>
  %2 = tc.minimum %1, %last : tensor<78xi64>
  %3 = tc.maximum %expert, %zero : tensor<78xi64>
  %4 = tc.minimum %3, %three : tensor<78xi64>
  %5 = tc.index_tensors %w[%4] dims [0] : tensor<4x128x32xf32>, tensor<78xi64> -> tensor<78x128x32xf32>
  %6 = tc.index_tensors %x[%2] dims [0] : tensor<39x32xf32>, tensor<78xi64> -> tensor<78x32xf32>
  %7 = tc.contract "mk,mnk->mn" %6, %5 : tensor<78x32xf32>, tensor<78x128x32xf32> -> tensor<78x128xf32>
  return %2, %7 : tensor<78xi64>, tensor<78x128xf32>
}
