// The gradients of a cross entropy and of its bias. A team goes through the rows, which two sums fold, and vectors of each begin where
// that row does, which is no multiple of 8 elements.
// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES
// AGREES: largest difference
// AGREES-NOT: not close

// CHECK: tc.kernel "cast_sum_sum" {{.*}} schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, held = true
func.func @main(%x: tensor<3x50xf32>, %g: tensor<f32>, %valid: tensor<3xi1>, %labels: tensor<3xi64>) -> (tensor<3x50xf32>, tensor<50xf32>) {
  %0 = tc.cast %valid : tensor<3xi1> to tensor<3xi64>
  %1 = tc.reduce sum %0 dims [0] : tensor<3xi64> -> tensor<i64>
  %2 = tc.cast %1 : tensor<i64> to tensor<f32>
  %3 = tc.div %g, %2 : tensor<f32>
  %4 = tc.broadcast %3 dims [] : tensor<f32> -> tensor<3xf32>
  %5 = tc.full 0.000000e+00 : f32 -> tensor<3xf32>
  %6 = tc.select %valid, %4, %5 : tensor<3xi1>, tensor<3xf32>
  %7 = tc.broadcast %labels dims [0] : tensor<3xi64> -> tensor<3x50xi64>
  %8 = tc.iota dim 1 start 0 step 1 : tensor<3x50xi64>
  %9 = tc.eq %8, %7 : tensor<3x50xi64>
  %10 = tc.broadcast %6 dims [0] : tensor<3xf32> -> tensor<3x50xf32>
  %11 = tc.full 0.000000e+00 : f32 -> tensor<3x50xf32>
  %12 = tc.select %9, %10, %11 : tensor<3x50xi1>, tensor<3x50xf32>
  %13 = tc.exp %x : tensor<3x50xf32>
  %14 = tc.mul %13, %10 : tensor<3x50xf32>
  %15 = tc.sub %12, %14 : tensor<3x50xf32>
  %16 = tc.reduce sum %15 dims [0] : tensor<3x50xf32> -> tensor<50xf32>
  return %15, %16 : tensor<3x50xf32>, tensor<50xf32>
}
